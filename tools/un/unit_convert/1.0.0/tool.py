# ---
# name: unit_convert
# version: 1.0.0
# description: Convert a quantity between units of length, area, volume, mass, temperature, time, speed, data, pressure, energy, power or angle in exact arithmetic and return it as a decimal and as a fraction.
# inputs:
#   - name: value
#     type: string
#     description: The number to convert, as a decimal such as 12.5 or 1e-3 or a fraction such as 3/8.
#     required: true
#     tainted_ok: true
#   - name: from_unit
#     type: string
#     description: Unit of the value, a symbol such as km, MiB or degF (upper and lower case differ) or an English name such as miles.
#     required: true
#   - name: to_unit
#     type: string
#     description: Unit to convert to, written like the other one.
#     required: true
#   - name: digits
#     type: integer
#     description: Significant digits of the decimal, from 1 to 50.
#     required: false
#     default: 12
# outputs:
#   type: object
#   description: The value as a decimal string, whether it is exact or rounded, the exact fraction, the symbol of the unit and the kind of quantity.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [units, convert, measurement]
# x-aliases: [convert_units, unit_converter]
# x-examples:
#   - "How many kilometres are 26.2 miles?"
#   - "Convert 350 degrees Fahrenheit to Celsius."
#   - "How many gibibytes are in a 2 TB disk?"
# ---

import decimal
import fractions
import json
import re
import sys

MAX_VALUE_CHARS = 100
MAX_EXPONENT = 300
MAX_DIGITS = 50

# kind: lines of "factor symbol names…", the factor being exact in the unit
# whose factor is 1. Definitions: SI brochure (9th edition), NIST SP 811,
# IEC 80000-13 for data; a year is the Julian one of 365.25 days.
UNITS = {
    "length": """
        1 m meter metre; 1000 km kilometer kilometre; 1/10 dm decimeter decimetre; 1/100 cm centimeter centimetre;
        1/1000 mm millimeter millimetre; 1/1000000 um micrometer micrometre µm; 1/1000000000 nm nanometer nanometre;
        0.0254 in inch inches; 0.3048 ft foot feet; 0.9144 yd yard; 1609.344 mi mile; 1852 nmi nautical_mile;
        149597870700 au astronomical_unit; 9460730472580800 ly light_year""",
    "area": """
        1 m2 square_meter square_metre m²; 1000000 km2 square_kilometer square_kilometre km²;
        1/10000 cm2 square_centimeter square_centimetre cm²; 10000 ha hectare; 100 are ares;
        0.09290304 ft2 square_foot square_feet; 0.83612736 yd2 square_yard; 4046.8564224 ac acre;
        2589988.110336 mi2 square_mile; 0.00064516 in2 square_inch square_inches""",
    "volume": """
        1 L liter litre l; 1/1000 mL milliliter millilitre ml; 1/100 cL centiliter centilitre cl;
        1/10 dL deciliter decilitre dl; 100 hL hectoliter hectolitre hl; 1000 m3 cubic_meter cubic_metre m³;
        1/1000 cm3 cubic_centimeter cubic_centimetre cm³; 3.785411784 gal gallon us_gallon;
        0.946352946 qt quart us_quart; 0.473176473 pt pint us_pint; 0.2365882365 cup us_cup;
        0.0295735295625 floz fluid_ounce us_fluid_ounce; 0.01478676478125 tbsp tablespoon;
        0.00492892159375 tsp teaspoon; 4.54609 impgal imperial_gallon; 0.56826125 imppt imperial_pint;
        28.316846592 ft3 cubic_foot cubic_feet; 0.016387064 in3 cubic_inch cubic_inches""",
    "mass": """
        1 kg kilogram; 1/1000 g gram; 1/1000000 mg milligram; 1/1000000000 ug microgram µg; 1000 t tonne metric_ton;
        0.45359237 lb pound lbs; 0.028349523125 oz ounce; 6.35029318 st stone; 907.18474 ton short_ton us_ton;
        1016.0469088 lton long_ton; 0.0002 ct carat; 0.0311034768 ozt troy_ounce""",
    "temperature": """
        1 K kelvin; 1 degC celsius °C C; 5/9 degF fahrenheit °F F; 5/9 degR rankine °R""",
    "time": """
        1 s second sec; 1/1000 ms millisecond; 1/1000000 us microsecond µs; 1/1000000000 ns nanosecond;
        60 min minute mins; 3600 h hour hr hrs; 86400 d day; 604800 wk week; 31557600 a year yr julian_year""",
    "speed": """
        1 m/s meter_per_second metre_per_second mps; 5/18 km/h kilometer_per_hour kilometre_per_hour kph kmh;
        0.44704 mph mile_per_hour miles_per_hour; 463/900 kn knot; 0.3048 ft/s foot_per_second feet_per_second""",
    "data": """
        1 bit bits; 8 B byte; 1000 kbit kilobit; 1000000 Mbit megabit; 1000000000 Gbit gigabit;
        8000 kB kilobyte KB; 8000000 MB megabyte; 8000000000 GB gigabyte; 8000000000000 TB terabyte;
        8000000000000000 PB petabyte; 8192 KiB kibibyte; 8388608 MiB mebibyte; 8589934592 GiB gibibyte;
        8796093022208 TiB tebibyte; 9007199254740992 PiB pebibyte""",
    "pressure": """
        1 Pa pascal; 100 hPa hectopascal; 1000 kPa kilopascal; 1000000 MPa megapascal; 100000 bar bars;
        100 mbar millibar; 101325 atm atmosphere; 101325/760 Torr torr;
        44482216152605/6451600000 psi pound_per_square_inch""",
    "energy": """
        1 J joule; 1000 kJ kilojoule; 1000000 MJ megajoule; 3600 Wh watt_hour; 3600000 kWh kilowatt_hour;
        4.184 cal calorie; 4184 kcal kilocalorie; 1055.05585262 Btu btu;
        1602176634/10000000000000000000000000000 eV electronvolt""",
    "power": """
        1 W watt; 1000 kW kilowatt; 1000000 MW megawatt; 1/1000 mW milliwatt; 745.69987158227022 hp horsepower;
        735.49875 PS metric_horsepower""",
    "angle": """
        1 deg degree °; 1/60 arcmin arcminute; 1/3600 arcsec arcsecond; 360 turn revolution; 9/10 gon gradian""",
}
# What has to be added to a temperature, in degrees of its own scale, to count from absolute zero.
ZERO_POINTS = {"degC": "273.15", "degF": "459.67"}


def find_unit(text):
    """Return (kind, symbol, factor) of a unit; symbols keep their case, names do not."""
    wanted = text.strip().replace("\u03bc", "\u00b5")  # the Greek letter for the micro sign
    name = re.sub(r"[\s-]+", "_", wanted.lower()).replace("s_per_", "_per_")
    name = re.sub(r"^degrees?_(?=[a-z])", "", name)
    singular = name[:-1] if name.endswith("s") else name
    by_name = None
    for kind, lines in UNITS.items():
        for entry in lines.split(";"):
            factor, symbol, *names = entry.split()
            if wanted == symbol or wanted in names:
                return kind, symbol, fractions.Fraction(factor)
            # One- and two-letter spellings are symbols: Mb is not mb.
            if any(known in (name, singular) for known in names if len(known) > 2):
                by_name = (kind, symbol, fractions.Fraction(factor))
    if by_name:
        return by_name
    raise ValueError("unknown unit %r, known are %s" % (text[:50], "; ".join(known_symbols())))


def known_symbols():
    """Return one line per kind of quantity with its symbols."""
    return [
        "%s: %s" % (kind, " ".join(entry.split()[1] for entry in lines.split(";"))) for kind, lines in UNITS.items()
    ]


def parse_value(text):
    """Return a decimal or a fraction as an exact number; the exponent is capped before it is expanded."""
    text = text.strip().replace("\u2212", "-")
    match = re.fullmatch(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,4}))?|[+-]?[0-9]+/[0-9]+", text)
    if not match or len(text) > MAX_VALUE_CHARS or abs(int(match[1] or 0)) > MAX_EXPONENT:
        raise ValueError("value %r is not a decimal number or a fraction" % text[:MAX_VALUE_CHARS])
    try:
        return fractions.Fraction(text)
    except ZeroDivisionError:
        raise ValueError("value has the denominator 0") from None


def to_decimal(number, digits):
    """Return (text, exact): the number rounded half to even, without an exponent where that is readable."""
    context = decimal.Context(prec=digits, Emin=-9999, Emax=9999)
    quotient = context.divide(decimal.Decimal(number.numerator), decimal.Decimal(number.denominator))
    exact = fractions.Fraction(quotient) == number
    quotient = context.normalize(quotient)
    text = format(quotient, "f") if -10 <= quotient.adjusted() <= 20 else str(quotient)
    return text, exact


def main(value: str, from_unit: str, to_unit: str, digits: int = 12):
    if not 1 <= digits <= MAX_DIGITS:
        raise ValueError("digits must be from 1 to %d" % MAX_DIGITS)
    number = parse_value(value)
    kind, symbol, factor = find_unit(from_unit)
    to_kind, to_symbol, to_factor = find_unit(to_unit)
    if kind != to_kind:
        raise ValueError("cannot convert %s (%s) to %s (%s)" % (symbol, kind, to_symbol, to_kind))
    base = (number + fractions.Fraction(ZERO_POINTS.get(symbol, "0"))) * factor
    if kind == "temperature" and base < 0:
        raise ValueError("%s %s is below absolute zero" % (value.strip(), symbol))
    result = base / to_factor - fractions.Fraction(ZERO_POINTS.get(to_symbol, "0"))
    text, exact = to_decimal(result, digits)
    return {"value": text, "unit": to_symbol, "exact": exact, "fraction": str(result), "kind": kind}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
