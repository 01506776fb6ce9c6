package contracts

//go:generate go run ../internal/schemagen ..
