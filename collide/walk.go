package collide

import "github.com/backstep-net/backstep/geom"

// walk visits the leaves of a tree whose boxes overlap one box, nearest first
// along one axis. The box may be made smaller on the way.
type walk struct {
	box   box32
	axis  int // the axis along which nearer leaves come first
	flip  int // 1 where nearer means a larger coordinate
	n     int
	stack [maxDepth]uint32
}

// begin starts a visit of everything that overlaps the box.
func (k *walk) begin(t *tree, b geom.AABB) {
	k.box = outward(b)
	k.n = 0
	if len(t.nodes) > 0 {
		k.stack[0] = 0
		k.n = 1
	}
}

// toward orders the visit along d.
func (k *walk) toward(d geom.Vec3) {
	x, y, z := d.X, d.Y, d.Z
	if x < 0 {
		x = -x
	}
	if y < 0 {
		y = -y
	}
	if z < 0 {
		z = -z
	}
	k.axis, k.flip = 0, 0
	s := d.X
	if y > x && y >= z {
		k.axis, s = 1, d.Y
	} else if z > x {
		k.axis, s = 2, d.Z
	}
	if s < 0 {
		k.flip = 1
	}
}

// next returns the next leaf as a run of things; ok is false at the end.
func (k *walk) next(t *tree) (first, count int, ok bool) {
	for k.n > 0 {
		k.n--
		c := k.stack[k.n]
		if c&leafBit != 0 {
			return int(c & leafFirst), int(c>>leafShift&7) + 1, true
		}
		n := &t.nodes[c]
		l, r := k.meets(&n.box[0]), k.meets(&n.box[1])
		if l && r {
			far := 1
			if (n.box[0].side[0][k.axis] > n.box[1].side[0][k.axis]) != (k.flip == 1) {
				far = 0
			}
			k.stack[k.n] = n.child[far]
			k.stack[k.n+1] = n.child[1-far]
			k.n += 2
		} else if l {
			k.stack[k.n] = n.child[0]
			k.n++
		} else if r {
			k.stack[k.n] = n.child[1]
			k.n++
		}
	}
	return 0, 0, false
}

func (k *walk) meets(b *box32) bool {
	return b.side[0][0] <= k.box.side[1][0] && k.box.side[0][0] <= b.side[1][0] &&
		b.side[0][1] <= k.box.side[1][1] && k.box.side[0][1] <= b.side[1][1] &&
		b.side[0][2] <= k.box.side[1][2] && k.box.side[0][2] <= b.side[1][2]
}
