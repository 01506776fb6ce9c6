package gendoc

import (
	"slices"

	"github.com/oceanway/outbox/internal/schema"
)

type (
	// object is a JSON object: its members have an order, and a name may come twice.
	object struct{ members []member }
	member struct {
		name  string
		value any
	}
	// array is a JSON array.
	array struct{ items []any }
	// token is a value as it is written: a number, or a string that no Go string can hold.
	token string
)

// Other values are a string, a bool and nil.

func (o *object) index(name string) int {
	return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
}

func (o *object) get(name string) (value any, ok bool) {
	if i := o.index(name); i >= 0 {
		return o.members[i].value, true
	}
	return nil, false
}

func (o *object) set(name string, value any) {
	if i := o.index(name); i >= 0 {
		o.members[i].value = value
		return
	}
	o.members = append(o.members, member{name, value})
}

func (o *object) remove(name string) {
	o.members = slices.DeleteFunc(o.members, func(m member) bool { return m.name == name })
}

// at follows the names of members.
func at(value any, names []string) (found any, ok bool) {
	for _, name := range names {
		o, isObject := value.(*object)
		if !isObject {
			return nil, false
		}
		if value, ok = o.get(name); !ok {
			return nil, false
		}
	}
	return value, true
}

// put replaces what is below an object.
func put(o *object, names []string, value any) {
	parent, _ := at(o, names[:len(names)-1])
	if below, ok := parent.(*object); ok {
		below.set(names[len(names)-1], value)
	}
}

func clone(value any) any {
	switch v := value.(type) {
	case *object:
		copied := &object{}
		for _, m := range v.members {
			copied.members = append(copied.members, member{m.name, clone(m.value)})
		}
		return copied
	case *array:
		copied := &array{}
		for _, item := range v.items {
			copied.items = append(copied.items, clone(item))
		}
		return copied
	}
	return value
}

// scalar is a constant of a schema as a value.
func scalar(value schema.Scalar) any {
	if number, ok := value.(int64); ok {
		return integer(number)
	}
	return value
}

// objects and arrays lists what a value holds, itself included.
func objects(value any) (list []*object) {
	walk(value, func(v any) {
		if o, ok := v.(*object); ok {
			list = append(list, o)
		}
	})
	return list
}

func arrays(value any) (list []*array) {
	walk(value, func(v any) {
		if a, ok := v.(*array); ok {
			list = append(list, a)
		}
	})
	return list
}

func walk(value any, visit func(any)) {
	visit(value)
	switch v := value.(type) {
	case *object:
		for _, m := range v.members {
			walk(m.value, visit)
		}
	case *array:
		for _, item := range v.items {
			walk(item, visit)
		}
	}
}

// slot is a place that holds a value.
type slot struct {
	get func() any
	set func(any)
}

// slots lists the places below a value for which want is true.
func slots(value any, want func(any) bool) (list []slot) {
	add := func(s slot) {
		if want(s.get()) {
			list = append(list, s)
		}
	}
	for _, o := range objects(value) {
		for i := range o.members {
			add(slot{func() any { return o.members[i].value }, func(v any) { o.members[i].value = v }})
		}
	}
	for _, a := range arrays(value) {
		for i := range a.items {
			add(slot{func() any { return a.items[i] }, func(v any) { a.items[i] = v }})
		}
	}
	return list
}

func isText(value any) bool   { _, ok := value.(string); return ok }
func isNumber(value any) bool { _, ok := value.(token); return ok }
func isAny(any) bool          { return true }
