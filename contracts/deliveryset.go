package contracts

import (
	"embed"
	"encoding/json"
	"fmt"
)

// FirstReleaseName is the delivery set version of the first release, and its file's name without
// the extension.
const FirstReleaseName = "2026-11-first-release"

// DeliverySets holds the released definitions as delivery-sets/NAME.json.
//
//go:embed delivery-sets/*.json
var DeliverySets embed.FS

//go:embed delivery-sets/2026-11-first-release.json
var firstRelease string

// FirstRelease is the definition of the first release: thirteen events and fourteen mandatory
// members.
func FirstRelease() []byte { return []byte(firstRelease) }

// DefinitionSchema is the schema of a delivery set definition.
const DefinitionSchema = "DeliverySetDefinition@1"

// DefinitionIdentity is the quadruple that names one definition everywhere.
type DefinitionIdentity struct {
	DeliverySetVersion                          string `json:"deliverySetVersion"`
	DeliverySetDefinitionSchemaVersion          string `json:"deliverySetDefinitionSchemaVersion"`
	DeliverySetDefinitionDigestAlgorithmVersion string `json:"deliverySetDefinitionDigestAlgorithmVersion"`
	DeliverySetDefinitionDigest                 string `json:"deliverySetDefinitionDigest"`
}

// ParseDefinitionIdentity reads the quadruple from a definition and leaves the rest unread.
func ParseDefinitionIdentity(definition []byte) (DefinitionIdentity, error) {
	var identity DefinitionIdentity
	members, err := membersOf(definition)
	if err != nil {
		return identity, fmt.Errorf("delivery set definition: %w", err)
	}
	for name, target := range map[string]*string{
		"deliverySetVersion":                          &identity.DeliverySetVersion,
		"deliverySetDefinitionSchemaVersion":          &identity.DeliverySetDefinitionSchemaVersion,
		"deliverySetDefinitionDigestAlgorithmVersion": &identity.DeliverySetDefinitionDigestAlgorithmVersion,
		"deliverySetDefinitionDigest":                 &identity.DeliverySetDefinitionDigest,
	} {
		raw, ok := members[name]
		switch {
		case !ok:
			return DefinitionIdentity{}, fmt.Errorf("delivery set definition: /%s is missing", name)
		case raw[0] != '"' || json.Unmarshal(raw, target) != nil:
			return DefinitionIdentity{}, fmt.Errorf("delivery set definition: /%s must be a string", name)
		}
	}
	return identity, nil
}
