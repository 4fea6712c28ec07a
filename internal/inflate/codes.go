package inflate

import "io"

// fixed makes the tables of the code that everybody knows.
func (d *Decoder) fixed() bool {
	for i := range literals + 2 {
		n := uint8(8)
		if i >= 144 && i < 256 {
			n = 9
		} else if i >= 256 && i < 280 {
			n = 7
		}
		d.lengths[i] = n
	}
	for i := range distances + 2 {
		d.lengths[literals+2+i] = 5
	}
	return d.literal.build(d.lengths[:literals+2], literalMeaning[:]) &&
		d.distance.build(d.lengths[literals+2:], distanceMeaning[:])
}

// lengthOrder is the order in which the lengths of the code of lengths come.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the tables of a block.
func (d *Decoder) dynamic() error {
	head, err := d.take(14)
	if err != nil {
		return err
	}
	first, second, codes := int(head&31)+257, int(head>>5&31)+1, int(head>>10)+4
	if first > literals || second > distances {
		return ErrCorrupt
	}
	var order [19]uint8
	for _, at := range lengthOrder[:codes] {
		n, err := d.take(3)
		if err != nil {
			return err
		}
		order[at] = uint8(n)
	}
	if !d.order.build(order[:], orderMeaning[:]) {
		return ErrCorrupt
	}
	all := d.lengths[:first+second]
	for i := 0; i < len(all); {
		if err := d.refill(); err != nil {
			return err
		}
		e := d.order.entries[d.bits&(1<<orderWidth-1)]
		if e.kind() == kindNone {
			return d.nothing()
		}
		if _, err := d.take(e.taken()); err != nil {
			return err
		}
		n := e.value()
		if n < 16 {
			all[i] = uint8(n)
			i++
			continue
		}
		value, times, extra := uint8(0), 3, uint(3)
		switch n {
		case 16:
			if i == 0 {
				return ErrCorrupt
			}
			value, extra = all[i-1], 2
		case 18:
			times, extra = 11, 7
		}
		again, err := d.take(extra)
		if err != nil {
			return err
		}
		if times += int(again); i+times > len(all) {
			return ErrCorrupt
		}
		for ; times > 0; times-- {
			all[i] = value
			i++
		}
	}
	if !d.literal.build(all[:first], literalMeaning[:first]) || !d.distance.build(all[first:], distanceMeaning[:second]) {
		return ErrCorrupt
	}
	return nil
}

// nothing is the error about bits that are no code: where the source has ended,
// they may be the beginning of one.
func (d *Decoder) nothing() error {
	if d.have < maxCode && d.ended {
		return io.ErrUnexpectedEOF
	}
	return ErrCorrupt
}
