package deps

import "go/ast"

// Receiver returns the name of the type that a function is a method of, "" for none.
func Receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// FunctionName returns the name of a function, or of a method with its type: Server.Tick.
func FunctionName(d *ast.FuncDecl) string {
	if of := Receiver(d); of != "" {
		return of + "." + d.Name.Name
	}
	return d.Name.Name
}
