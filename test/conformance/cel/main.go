// Evaluates CEL expressions as Flux does those of health checks: unchecked, with the fields of the object as
// variables. Reads {"expression": …, "object": …}, a line each, and prints true, false or error for each.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

type question struct {
	Expression string         `json:"expression"`
	Object     map[string]any `json:"object"`
}

func answer(env *cel.Env, line []byte) (string, error) {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return "", err
	}
	ast, issues := env.Parse(asked.Expression)
	if issues.Err() != nil {
		return "", issues.Err()
	}
	program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return "", err
	}
	value, _, err := program.Eval(asked.Object)
	if err != nil {
		return "error", nil
	}
	return fmt.Sprint(value.Value()), nil
}

func main() {
	env, err := cel.NewEnv(cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(),
		ext.Strings(), ext.Sets(), ext.Encoders())
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		text, err := answer(env, lines.Bytes())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(text)
	}
}
