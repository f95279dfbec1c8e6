package levelmaker

import "github.com/backstep-net/backstep/geom"

// colour is linear red, green, blue, 0 … 1.
type colour = geom.Vec3

// The palette: warm stone and sand, cool shadows, two team colours, one accent.
var (
	sandstone = rgb(0xd9c7a3)
	limestone = rgb(0xe9e1d0)
	slate     = rgb(0x5b6672)
	charcoal  = rgb(0x4b5360)
	paving    = rgb(0xb9b2a4)
	grass     = rgb(0x7f9b5c)
	meadow    = rgb(0x9db068)
	gravel    = rgb(0xbfae8c)
	rock      = rgb(0x8a7f78)
	cliffTop  = rgb(0x77905a)
	oak       = rgb(0xb98a55)
	walnut    = rgb(0x6f4f34)
	teal      = rgb(0x3d9a9c)
	aqua      = rgb(0x74c4bf)
	amber     = rgb(0xe3a13c)
	crimson   = rgb(0xc8473d)
	azure     = rgb(0x3b74c4)
	pine      = rgb(0x3f6b4a)
	fir       = rgb(0x4f8057)
)

// rgb converts an sRGB colour into a linear one: a cubic within 0.006 of the sRGB curve
// that needs no power function.
func rgb(hex uint32) colour {
	f := func(shift uint) float64 {
		c := float64(hex>>shift&255) / 255
		s := float64(c*0.305306011) + 0.682171111
		s = float64(c*s) + 0.012522878
		return float64(c * s)
	}
	return colour{X: f(16), Y: f(8), Z: f(0)}
}

// shade returns c, darker below 1 and lighter above.
func shade(c colour, by float64) colour {
	return c.Mul(by).Min(colour{X: 1, Y: 1, Z: 1})
}

// speckle returns c, lighter or darker by up to amount, as a function of its arguments.
func speckle(c colour, amount float64, seed ...int) colour {
	return shade(c, 1+float64(amount*noise(seed...)))
}

// noise returns a pseudo-random number of −1 … 1 for seed.
func noise(seed ...int) float64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, s := range seed {
		h ^= uint64(int64(s))
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 29
	}
	h *= 0x94d049bb133111eb
	h ^= h >> 32
	return float64(float64(int64(h>>40))/(1<<23)) - 1
}

// material is a surface finish. Colours are per vertex, so that a structure needs few
// meshes.
type material int

const (
	matte    material = iota // stone, wood, grass
	satin                    // paint, tiles
	metal                    // rails, posts
	glowWarm                 // lamps
	glowRed                  // red's signs
	glowBlue                 // blue's signs
	glowCyan                 // the pool
	materials
)

// finish is a material's glTF properties.
var finish = [materials]struct {
	name                string
	base                [4]float64
	metallic, roughness float64
	emissive            [3]float64
}{
	matte:    {"matte", [4]float64{1, 1, 1, 1}, 0, 0.93, [3]float64{}},
	satin:    {"satin", [4]float64{1, 1, 1, 1}, 0, 0.5, [3]float64{}},
	metal:    {"metal", [4]float64{1, 1, 1, 1}, 0.2, 0.45, [3]float64{}},
	glowWarm: {"glow warm", [4]float64{0.5, 0.4, 0.25, 1}, 0, 0.6, [3]float64{1, 0.72, 0.36}},
	glowRed:  {"glow red", [4]float64{0.3, 0.02, 0.02, 1}, 0, 0.6, [3]float64{0.95, 0.09, 0.05}},
	glowBlue: {"glow blue", [4]float64{0.02, 0.06, 0.3, 1}, 0, 0.6, [3]float64{0.04, 0.22, 1}},
	glowCyan: {"glow cyan", [4]float64{0.05, 0.3, 0.3, 1}, 0, 0.6, [3]float64{0.08, 0.8, 0.85}},
}
