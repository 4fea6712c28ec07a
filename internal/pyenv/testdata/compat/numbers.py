"""math, decimal, fractions, statistics: numbers"""
import decimal
import fractions
import math
import statistics

assert decimal.Decimal("0.1") + decimal.Decimal("0.2") == decimal.Decimal("0.3")
assert fractions.Fraction(1, 3) + fractions.Fraction(1, 6) == fractions.Fraction(1, 2)
assert statistics.median([3, 1, 2]) == 2 and math.isclose(math.fsum([0.1] * 10), 1)
