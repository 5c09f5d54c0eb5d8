import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

interface Plugin {
  readonly spec: {
    readonly discover: { readonly fileName: string };
    readonly generate: { readonly command: readonly string[]; readonly args: readonly string[] };
    readonly parameters: { readonly static: readonly { name: string; string: string }[] };
  };
}

const FILE = join(import.meta.dirname, '../../../integrations/argocd/plugin.yaml');

/** The Argo CD plugin of this project. */
export const ARGOCD_PLUGIN = load(readFileSync(FILE, 'utf8')) as Plugin;

/** Returns the parameters of an application as Argo CD passes them to a plugin. */
export function pluginEnvironment(
  parameters: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [`PARAM_${name.toUpperCase()}`, value as string]),
  );
}
