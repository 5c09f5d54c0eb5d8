import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { blocksOf, type Clone } from '../readme.js';

/** Pages about GitOps, each with blocks to run from its top to its end. */
export const GITOPS_PAGES = ['argocd', 'flux', 'kustomize', 'helm'] as const;

const ROOT = join(import.meta.dirname, '../../..');

/** A shell block, and what a comment above it says: a program it needs, or why it is not run. */
interface ShellBlock {
  readonly body: string;
  readonly needs: string | undefined;
  readonly notRun: string | undefined;
}

interface GitOpsPage {
  readonly text: string;
  /** YAML with the path of a file in its first line. */
  readonly files: ReadonlyMap<string, string>;
  readonly shell: readonly ShellBlock[];
}

export function gitOpsPage(name: (typeof GITOPS_PAGES)[number]): GitOpsPage {
  const text = readFileSync(join(ROOT, `docs/${name}.md`), 'utf8');
  const blocks = blocksOf(text);
  const files = blocks
    .filter(({ language }) => language === 'yaml')
    .flatMap(({ body }) => {
      const path = /^# (\S+\.yaml)\n/.exec(body)?.[1];
      return path === undefined ? [] : [[path, body] as const];
    });
  const shell = blocks
    .filter(({ language }) => language === 'sh')
    .map(({ body, at }) => {
      const above = /<!-- (?:needs (\w+)|not run: ([^\n]+)) -->\n```sh\n$/.exec(text.slice(0, at));
      return { body, needs: above?.[1], notRun: above?.[2] };
    });
  return { text, files: new Map(files), shell };
}

/**
 * Writes the files of a page and runs its blocks, one after the other, those that need nothing but
 * this tool and those that need one of `programs`; returns what each printed.
 */
export function runPage(
  { files, shell }: GitOpsPage,
  clone: Clone,
  programs: readonly string[] = [],
): readonly { readonly body: string; readonly stdout: string }[] {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(clone.folder, path)), { recursive: true });
    writeFileSync(join(clone.folder, path), text);
  }
  return shell
    .filter(({ notRun }) => notRun === undefined)
    .filter(({ needs }) => needs === undefined || programs.includes(needs))
    .map(({ body }) => {
      const { status, stdout, stderr } = clone.script(body);
      if (status !== 0) throw new Error(`exit ${status}:\n${body}\n${stderr}`);
      return { body, stdout };
    });
}
