// Fills in the results of go-templates.json with Go's text/template, Sprig and Helm's own functions, whose definitions here follow
// Helm's engine. The spec compares the renderer of tools/src/helm with these results. On Debian:
//
//	apt-get install golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev
//	GO111MODULE=off GOPATH=/usr/share/gocode go run test/data/helm/go-templates.go test/data/helm/go-templates.json
//
// With a second argument, a folder of a chart, it prints each template of the chart as JSON, rendered with the data of the file.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type example struct {
	Title    string  `json:"title"`
	Template string  `json:"template"`
	Output   *string `json:"output,omitempty"`
	Error    bool    `json:"error,omitempty"`
}

type examples struct {
	Values   map[string]interface{} `json:"values"`
	Examples []example              `json:"examples"`
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func engine() *template.Template {
	t := template.New("gotpl").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var buffer bytes.Buffer
		err := t.ExecuteTemplate(&buffer, name, data)
		return buffer.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	return t.Funcs(functions)
}

func render(t *template.Template, name string, data interface{}) (string, error) {
	var buffer bytes.Buffer
	err := t.ExecuteTemplate(&buffer, name, data)
	return strings.ReplaceAll(buffer.String(), "<no value>", ""), err
}

func renderExample(one example, values map[string]interface{}) (string, error) {
	t := engine()
	if _, err := t.New("example").Parse(one.Template); err != nil {
		return "", err
	}
	return render(t, "example", map[string]interface{}{"Values": values})
}

func writeJSON(file *os.File, value interface{}) {
	encoder := json.NewEncoder(file)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	check(encoder.Encode(value))
}

func renderChart(folder string, data interface{}) map[string]string {
	t := engine()
	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		check(err)
		_, err = t.New(filepath.Base(path)).Parse(string(text))
		check(err)
	}
	rendered := map[string]string{}
	for _, path := range paths {
		output, err := render(t, filepath.Base(path), data)
		check(err)
		rendered[filepath.Base(path)] = output
	}
	return rendered
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	if len(os.Args) > 2 {
		var data interface{}
		check(json.Unmarshal(text, &data))
		writeJSON(os.Stdout, renderChart(os.Args[2], data))
		return
	}
	var all examples
	check(json.Unmarshal(text, &all))
	for index, one := range all.Examples {
		output, err := renderExample(one, all.Values)
		all.Examples[index].Output, all.Examples[index].Error = &output, err != nil
		if err != nil {
			all.Examples[index].Output = nil
		}
	}
	file, err := os.Create(os.Args[1])
	check(err)
	writeJSON(file, all)
	check(file.Close())
}
