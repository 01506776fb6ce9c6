package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strconv"
	"strings"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
)

// Run holds the identities of one run. They follow from the seed and the number alone.
type Run struct {
	Number        int
	TenantID      string
	WorkspaceID   string
	ProjectID     string
	ActorID       string
	OperatorID    string // the workforce member who resolves cases
	AccountID     string
	ReservationID string
	RunID         string
	StepID        string
	AttemptID     string
	DeploymentID  string
	Dimension     string // the one charge dimension of the run
	CorrelationID string

	scope string
	ids   identities
}

// NewRun derives the identities of the run with this number. Tenant, workspace, project and account are shared by the
// runs of a seed. What has a namespace in the contracts is derived by the given schemas.
func NewRun(schemas *contracts.Registry, seed string, number int) (Run, error) {
	shared := "scenario/" + seed
	scope := shared + "/" + strconv.Itoa(number)
	r := Run{
		Number:        number,
		TenantID:      "org_" + derive(shared, "tenant"),
		WorkspaceID:   "ws_" + derive(shared, "workspace"),
		ProjectID:     "prj_" + derive(shared, "project"),
		ActorID:       "prn_" + derive(shared, "actor"),
		OperatorID:    "wfp_" + derive(shared, "operator"),
		AccountID:     "acct_" + derive(shared, "account"),
		DeploymentID:  "gwd_" + derive(shared, "gateway deployment"),
		ReservationID: "rsv_" + derive(scope, "reservation"),
		RunID:         "run_" + derive(scope, "run"),
		StepID:        "step_" + derive(scope, "step"),
		AttemptID:     "att_" + derive(scope, "attempt"),
		CorrelationID: "cor_" + derive(scope, "correlation"),
		Dimension:     "output_tokens",
		scope:         scope,
	}
	var err error
	r.ids, err = r.deriveIdentities(schemas)
	return r, err
}

// DimensionID is the aggregate id of the run's settlement dimension.
func (r Run) DimensionID() string { return r.ids.dimension }

// FenceID is the identity of the run's finalization fence.
func (r Run) FenceID() string { return consumers.FinalizationFenceID(r.ReservationID, r.RunID) }

// ReconciliationCaseRef is the case that the run's finalization is held by.
func (r Run) ReconciliationCaseRef() string { return "case_" + r.id("finalization case 1") }

// LateCaseRef is the case of the run's late settlement.
func (r Run) LateCaseRef() string { return "case_" + r.id("late settlement case 1") }

// object is a JSON object under construction.
type object map[string]any

// with adds every member of the others.
func (o object) with(others ...object) object {
	for _, other := range others {
		maps.Copy(o, other)
	}
	return o
}

// address is the content address of a fact of this run: reference, schema version, algorithm and digest.
func (r Run) address(prefix, name string) object {
	sum := sha256.Sum256([]byte(strings.Join([]string{r.scope, prefix, name}, "\x1f")))
	return object{
		prefix + "Ref":                    r.id(prefix + " " + name),
		prefix + "SchemaVersion":          "1",
		prefix + "DigestAlgorithmVersion": contracts.DigestAlgorithm,
		prefix + "Digest":                 hex.EncodeToString(sum[:]),
	}
}

// bare is the same address in the short form that chains and lists use.
func (r Run) bare(prefix, name string) object {
	full := r.address(prefix, name)
	return object{
		"ref":                    full[prefix+"Ref"],
		"schemaVersion":          full[prefix+"SchemaVersion"],
		"digestAlgorithmVersion": full[prefix+"DigestAlgorithmVersion"],
		"digest":                 full[prefix+"Digest"],
	}
}

func (r Run) tenant() object {
	return object{"tenantKind": "organization", "tenantId": r.TenantID, "workspaceId": r.WorkspaceID, "projectId": r.ProjectID}
}

func (r Run) billing() object {
	return object{"billingReservationId": r.ReservationID, "billingAccountId": r.AccountID, "runId": r.RunID}
}

func (r Run) dimension() object {
	return object{"runStepId": r.StepID, "executionAttemptId": r.AttemptID, "chargeDimensionKey": r.Dimension}
}

func credits() object { return object{"kind": "credits"} }
