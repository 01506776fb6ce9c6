package contracts

//go:generate go run ./internal/golden delivery-sets
