package dispatcher

// Point is a place in the dispatcher's work that a test can watch, stop or die at.
type Point string

// The points, in the order in which a delivery passes them.
const (
	BeforeClaim   Point = "before_claim"
	AfterClaim    Point = "after_claim" // the claim has committed, nothing was sent
	BeforeCall    Point = "before_call"
	AfterCall     Point = "after_call" // the consumer has answered, nothing was recorded
	BeforeRenew   Point = "before_renew"
	AfterRenew    Point = "after_renew"
	BeforeSettle  Point = "before_settle"
	AfterSettle   Point = "after_settle" // the outcomes have committed
	BeforeRecover Point = "before_recover"
	AfterRecover  Point = "after_recover"
)

// Points lists them all.
func Points() []Point {
	return []Point{
		BeforeClaim, AfterClaim, BeforeCall, AfterCall, BeforeRenew, AfterRenew,
		BeforeSettle, AfterSettle, BeforeRecover, AfterRecover,
	}
}
