// Renders the chart without Helm: Go's templates and the function libraries that Helm itself uses, as Debian packages them.
// Only what the chart needs of Helm: include, required, toYaml, and .Values, .Release, .Chart, .Capabilities, .Files. The
// tests call it, and `./dev manifests`, which writes deploy/kubernetes.
//
//	render -chart DIR -values FILE -release NAME -namespace NAME [-managed-by NAME] [-api GROUP/VERSION] [-tests]
//
// Prints the documents in the order in which they are to be applied. Exit code 1: the chart refuses the values, and says why.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

// apiVersions and files have the methods that templates call.
type apiVersions map[string]bool

func (known apiVersions) Has(version string) bool { return known[version] }

type files string

func (folder files) Get(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(string(folder), name))
	return string(text), err
}

func main() {
	chart := flag.String("chart", "", "folder of the chart")
	values := flag.String("values", "", "file with values")
	release := flag.String("release", "eilbote", "name of the release")
	namespace := flag.String("namespace", "default", "namespace of the release")
	managedBy := flag.String("managed-by", "Helm", "what looks after the objects")
	api := flag.String("api", "", "an API the cluster knows besides Kubernetes' own")
	tests := flag.Bool("tests", false, "with what `helm test` would run")
	flag.Parse()
	all, err := render(*chart, *values, object{"Name": *release, "Namespace": *namespace, "Service": *managedBy}, *api)
	if err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].order < all[b].order })
	for _, one := range all {
		if one.hook != "test" || *tests {
			fmt.Printf("---\n%s\n", one.text)
		}
	}
}

func render(chart, valuesFile string, release object, api string) ([]document, error) {
	defaults, err := readYaml(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return nil, err
	}
	if valuesFile != "" {
		given, err := readYaml(valuesFile)
		if err != nil {
			return nil, err
		}
		merge(defaults, given)
	}
	meta, err := readYaml(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	top := object{
		"Values": defaults, "Release": release, "Files": files(chart),
		"Chart":        object{"Name": meta["name"], "Version": meta["version"], "AppVersion": meta["appVersion"]},
		"Capabilities": object{"APIVersions": apiVersions{api: true}},
	}
	templates, names, err := parse(filepath.Join(chart, "templates"))
	if err != nil {
		return nil, err
	}
	var all []document
	for _, name := range names {
		var out bytes.Buffer
		if err := templates.ExecuteTemplate(&out, name, top); err != nil {
			return nil, err
		}
		found, err := documents(name, strings.ReplaceAll(out.String(), "<no value>", ""))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, templates.ExecuteTemplate(io.Discard, "NOTES.txt", top) // Helm shows it; here it must only work
}

func readYaml(file string) (object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	value := object{}
	return value, yaml.UnmarshalStrict(text, &value)
}

// merge puts what was given over the defaults, as Helm does: objects member by member, null takes a member away.
func merge(defaults, given object) {
	for name, value := range given {
		old, hasOld := defaults[name].(object)
		fresh, isObject := value.(object)
		switch {
		case value == nil:
			delete(defaults, name)
		case hasOld && isObject:
			merge(old, fresh)
		default:
			defaults[name] = value
		}
	}
}

// parse reads all templates; the names are of those that make documents.
func parse(folder string) (*template.Template, []string, error) {
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var out bytes.Buffer
			err := all.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, fmt.Errorf("%s", message)
			}
			return value, nil
		},
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
	})
	var names []string
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		if strings.HasSuffix(name, ".yaml") {
			names = append(names, name)
		}
		_, err = all.New(name).Parse(string(text))
		return err
	})
	return all, names, err
}

type document struct {
	text, hook, order string
}

// kinds in the order they are applied in; what comes before the installation (Helm's hooks) is first of all.
var kinds = []string{"NetworkPolicy", "ServiceAccount", "ConfigMap", "PersistentVolumeClaim", "Service", "Deployment",
	"PodDisruptionBudget", "HorizontalPodAutoscaler", "Job", "Ingress", "ServiceMonitor", "PrometheusRule"}

// documents splits what a template made.
func documents(name, text string) ([]document, error) {
	var found []document
	for _, part := range strings.Split("\n"+text, "\n---") {
		var value struct {
			Kind     string
			Metadata struct{ Annotations map[string]string }
		}
		if err := yaml.Unmarshal([]byte(part), &value); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", name, err, part)
		}
		hook := value.Metadata.Annotations["helm.sh/hook"]
		if value.Kind == "" {
			continue
		}
		rank := -1
		for i, kind := range kinds {
			if kind == value.Kind {
				rank = i
			}
		}
		if rank < 0 {
			return nil, fmt.Errorf("%s: a %s; say in render.go when it is applied", name, value.Kind)
		}
		found = append(found, document{strings.Trim(part, "\n"), hook, fmt.Sprintf("%t %02d", hook == "", rank)})
	}
	return found, nil
}
