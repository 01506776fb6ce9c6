package gendoc

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

func removeMember(t *rapid.T, document *object) bool {
	o, i, ok := pickMember(t, document)
	if ok {
		o.members = slices.Delete(o.members, i, i+1)
	}
	return ok
}

func addMember(t *rapid.T, document *object) bool {
	other, i, ok := pickMember(t, document)
	if !ok {
		return false
	}
	o := one(t, objects(document))
	m := member{one(t, []string{"unknown", "x", "", "a/b~c", "\"\\", "\U0001f600", "é", other.members[i].name}), "x"}
	if rapid.Bool().Draw(t, "copy") {
		m.value = clone(other.members[i].value)
	}
	if o.index(m.name) >= 0 {
		return false
	}
	o.members = append(o.members, m)
	return true
}

func renameMember(t *rapid.T, document *object) bool {
	o, i, ok := pickMember(t, document)
	if !ok {
		return false
	}
	name := o.members[i].name
	renamed := one(t, []string{name + " ", strings.ToUpper(name), name + "s", "x" + name})
	if o.index(renamed) >= 0 {
		return false
	}
	o.members[i].name = renamed
	return true
}

func duplicateMember(t *rapid.T, document *object) bool {
	o, i, ok := pickMember(t, document)
	if !ok {
		return false
	}
	twin := member{o.members[i].name, clone(o.members[i].value)}
	if rapid.Bool().Draw(t, "another value") {
		twin.value = "x"
	}
	o.members = append(o.members, twin)
	return true
}

func changeType(t *rapid.T, document *object) bool {
	others := []any{nil, "", "x", "1", token("0"), token("1"), token("1.5"), true, false, &array{items: []any{}}, &object{}}
	return change(t, document, isAny, func(old any) any {
		if rapid.IntRange(0, 5).Draw(t, "wrap") == 5 {
			return &array{items: []any{old}}
		}
		return clone(one(t, others))
	})
}

func swapValues(t *rapid.T, document *object) bool {
	all := slots(document, func(v any) bool { return isText(v) || isNumber(v) })
	a, ok1 := pick(t, all)
	b, ok2 := pick(t, all)
	if !ok1 || !ok2 || same(a.get(), b.get()) {
		return false
	}
	x, y := a.get(), b.get()
	a.set(y)
	b.set(x)
	return true
}

func changeText(t *rapid.T, document *object) bool {
	return change(t, document, isText, func(old any) any {
		text, _ := old.(string)
		long := strings.Repeat("x", 300)
		return one(t, []string{
			"", text + "x", text + "\n", " " + text, text + "0", strings.ToUpper(text), "-" + text, "+" + text, text + "\u009f", text + "\U0001f600",
			strings.TrimSuffix(text, "1"), "-0", "0.10", "1e2", ".5", "01", "00000000-0000-0000-0000-000000000000", "2026-02-30T00:00:00Z", "2024-02-29T24:00:00Z",
			long[:63], long[:64], long[:65], long[:127], long[:128], long[:129], long[:254], long[:255], long[:256], long[:257],
			strings.Repeat("\U0001f600", 256), strings.Repeat("é", 257), text + text,
		})
	})
}

func copyText(t *rapid.T, document *object) bool {
	other, ok := pick(t, slots(document, isText))
	return ok && change(t, document, isText, func(any) any { return other.get() })
}

// breakQuartet adds or removes one of four members that belong together.
func breakQuartet(t *rapid.T, document *object) bool {
	suffixes := []string{"Ref", "SchemaVersion", "DigestAlgorithmVersion", "Digest"}
	o, i, ok := pickMember(t, document)
	if !ok {
		return false
	}
	name := o.members[i].name
	for _, suffix := range suffixes {
		prefix, found := strings.CutSuffix(name, suffix)
		if !found {
			continue
		}
		other := prefix + one(t, suffixes)
		if o.index(other) >= 0 {
			o.remove(other)
		} else {
			o.set(other, "1")
		}
		return true
	}
	return false
}

func withItems(document *object, atLeast int) (list []*array) {
	for _, a := range arrays(document) {
		if len(a.items) >= atLeast {
			list = append(list, a)
		}
	}
	return list
}

func swapItems(t *rapid.T, document *object) bool {
	a, ok := pick(t, withItems(document, 2))
	if !ok {
		return false
	}
	i := rapid.IntRange(1, len(a.items)-1).Draw(t, "item")
	a.items[i], a.items[i-1] = a.items[i-1], a.items[i]
	return true
}

func changeItems(t *rapid.T, document *object) bool {
	a, ok := pick(t, arrays(document))
	if !ok {
		return false
	}
	if len(a.items) == 0 {
		a.items = append(a.items, "x")
		return true
	}
	i := rapid.IntRange(0, len(a.items)-1).Draw(t, "item")
	switch one(t, []string{"remove", "repeat", "repeat at the end", "empty", "add"}) {
	case "remove":
		a.items = slices.Delete(a.items, i, i+1)
	case "repeat":
		a.items = slices.Insert(a.items, i, clone(a.items[i]))
	case "repeat at the end":
		a.items = append(a.items, clone(a.items[i]))
	case "add":
		a.items = append(a.items, "x")
	default:
		a.items = []any{}
	}
	return true
}

func breakDigest(t *rapid.T, document *object) bool {
	for i, m := range document.members {
		text, ok := m.value.(string)
		if ok && strings.HasSuffix(m.name, "Digest") && len(text) == 64 {
			flipped := "0" + text[1:]
			if flipped == text {
				flipped = "1" + text[1:]
			}
			document.members[i].value = one(t, []string{flipped, strings.ToUpper(text), text[1:], text + "0"})
			return true
		}
	}
	return false
}
