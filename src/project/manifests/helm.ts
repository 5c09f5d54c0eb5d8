import { type Bundle, objectFileName } from './bundle.js';
import type { Pin } from './package-object.js';
import { byCodePoint } from '../../base/collections.js';
import { sha256 } from '../../base/digest.js';
import { type JsonObject, listOf, mappingOf } from '../../base/json.js';
import { doubleQuoted, writeYaml } from '../../base/yaml/write-yaml.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { Lockfile } from '../lockfile/lockfile.js';

/** Its second line records the options of the rendering. */
export const CHART_FILE = 'Chart.yaml';
/** Folders of a chart that contain rendered files. */
export const CHART_FOLDERS: readonly string[] = ['templates', 'configs', 'packages'];

const VALUES = `# Names of secrets, in the namespace of Crossplane, that every package is pulled with beside its own.
pullSecrets: []
# Registry that has copies of all packages, with a path perhaps, such as registry.example.org/mirror: each is
# pulled from there under its own path. Empty: none.
mirror: ""
`;

/** Prints the objects. Pull secrets are last in each package, so that more can be appended. */
const OBJECTS_TEMPLATE = `{{- range $path, $_ := .Files.Glob "configs/*.yaml" }}
---
{{ $.Files.Get $path }}
{{- end }}
{{- range $path, $_ := .Files.Glob "packages/*.yaml" }}
{{- $text := $.Files.Get $path }}
---
{{ $text }}
{{- range $n, $secret := $.Values.pullSecrets }}
{{- if not (regexMatch "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$" (toString $secret)) }}
{{- fail (printf "pullSecrets: %q cannot be the name of a secret" (toString $secret)) }}
{{- end }}
{{- if and (eq $n 0) (not (contains "\\n  packagePullSecrets:\\n" $text)) }}
{{- "  packagePullSecrets:\\n" }}
{{- end }}
{{- printf "    - name: %q\\n" $secret }}
{{- end }}
{{- end }}
`;

/** Returns a template that fails if a mirror is set. */
function noMirror(why: string): string {
  return `{{- if .Values.mirror }}\n{{- fail ${doubleQuoted(`mirror: ${why}`)} }}\n{{- end }}\n`;
}

const PINNED =
  'the ImageConfigs that pin images to what is locked take its place; give its ImageConfig to xpkg-resolve resolve and render again';

/** Returns the files of a chart. Objects are data: no text in them is run as a template. */
export function helmFiles(
  bundle: Bundle,
  lockfile: Lockfile,
  { name, target, pin }: { readonly name: string; readonly target: Target; readonly pin: Pin },
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const object of bundle.kept)
    files.set(`configs/${objectFileName(object)}`, writeYaml(object));
  for (const object of bundle.packages.values()) {
    files.set(`packages/${objectFileName(object)}`, writeYaml(withSecretsLast(object)));
  }
  files.set('templates/objects.yaml', OBJECTS_TEMPLATE);
  files.set(
    'templates/mirror.yaml',
    pin === 'locked' ? noMirror(PINNED) : mirrorTemplate(lockfile, target),
  );
  files.set('values.yaml', VALUES);
  const content = Array.from(files, ([file, text]) => `${file}\n${text}`).join('\n');
  const chart = {
    apiVersion: 'v2',
    name,
    description: 'Crossplane packages, as locked',
    type: 'application',
    version: `0.0.0-x${sha256(content).slice('sha256:'.length).slice(0, 12)}`,
    appVersion: target.version,
  };
  return new Map([[CHART_FILE, writeYaml(chart)], ...files]);
}

function withSecretsLast(object: JsonObject): JsonObject {
  const { packagePullSecrets = [], ...spec } = mappingOf(object['spec']) ?? {};
  const { spec: _, ...rest } = object;
  const secrets = listOf(packagePullSecrets)?.length ? { packagePullSecrets } : {};
  return { ...rest, spec: { ...spec, ...secrets } };
}

/** Returns a template that renders the mirror as ImageConfigs. Packages stay unchanged. */
function mirrorTemplate({ packages }: Lockfile, { rules, version }: Target): string {
  if (rules.imageConfig?.rewrite !== true) {
    return noMirror(`Crossplane ${version} has no ImageConfig that rewrites images`);
  }
  const configs = mirroredPrefixes(packages.map(({ repository }) => repository)).map(
    ({ name, prefix, suffix }) => `---
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata:
  name: ${doubleQuoted(name)}
spec:
  matchImages:
    - type: Prefix
      prefix: ${doubleQuoted(prefix)}
  rewriteImage:
    prefix: {{ printf "%s%s" . ${doubleQuoted(suffix)} | quote }}
`,
  );
  return `{{- with .Values.mirror }}
{{- if not (regexMatch "^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)*$" (toString .)) }}
{{- fail (printf "mirror: %q is no registry, with a path or without" (toString .)) }}
{{- end }}
${configs.join('')}{{- end }}
`;
}

/**
 * Returns the prefixes to rewrite: a mirror replaces the registry and keeps the paths. A repository
 * without a registry is matched without one.
 */
function mirroredPrefixes(repositories: readonly Repository[]) {
  const firstSegments = new Set(repositories.map((repository) => repository.split('/', 1)[0]!));
  const sorted = [...firstSegments].sort(byCodePoint);
  const labels = sorted.map((head) => head.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, ''));
  return sorted.map((head, n) => ({
    name: labels.indexOf(labels[n]!) === n ? `mirror-${labels[n]}` : `mirror-${labels[n]}-${n}`,
    // Ends with a slash, because Crossplane compares plain text.
    prefix: `${head}/`,
    suffix: /[.:]|^localhost$/.test(head) ? '/' : `/${head}/`,
  }));
}
