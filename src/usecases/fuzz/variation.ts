import type { PackageRoot, Request, Root } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';

/** A variation of a request: some of its roots, some of them at one published version. */
export interface Variation {
  readonly release: Target;
  readonly choices: readonly RootChoice[];
}

/** A root as it is asked for; with `tag`, at that version instead. */
export type RootChoice =
  | { readonly root: Root; readonly tag?: undefined }
  | {
      readonly root: PackageRoot;
      readonly tag: string;
      /** The root as the user has it; undefined: the user has none, a local package requires it. */
      readonly asked: PackageRoot | undefined;
    };

/** What a variation asks for; everything but the roots is as the user has it. */
export function variedRequest(request: Request, { choices }: Pick<Variation, 'choices'>): Request {
  return { ...request, roots: choices.map(rootOf) };
}

function rootOf(choice: RootChoice): Root {
  if (choice.tag === undefined) return choice.root;
  const version = { form: 'tag', tag: choice.tag } as const;
  return { ...choice.root, version, origin: { file: 'this variation' } };
}

/** What a choice is called: the same in every variation. */
export function choiceName({ root }: RootChoice): string {
  switch (root.root) {
    case 'package':
      return root.repository;
    case 'local':
      return root.name;
    case 'crd':
      return 'crd' in root.demand ? root.demand.crd : `${root.demand.kind}.${root.demand.group}`;
  }
}

/** Equal for variations that ask for the same, whatever the release. */
export function variationKey({ choices }: Pick<Variation, 'choices'>): string {
  return choices.map((choice) => `${choiceName(choice)} ${choice.tag ?? ''}`).join('\n');
}

/**
 * The smallest variation that breaks as this one does: no root can go, and none that is at a version
 * can be as the user has it.
 */
export async function smallest(
  variation: Variation,
  breaks: (smaller: Variation) => Promise<boolean>,
): Promise<Variation> {
  let best = variation;
  for (const choice of variation.choices) {
    const less = { ...best, choices: best.choices.filter((other) => other !== choice) };
    if (less.choices.length > 0 && (await breaks(less))) best = less;
  }
  for (const choice of best.choices) {
    if (choice.tag === undefined || choice.asked === undefined) continue;
    const asAsked: RootChoice = { root: choice.asked };
    const plainer = {
      ...best,
      choices: best.choices.map((other) => (other === choice ? asAsked : other)),
    };
    if (await breaks(plainer)) best = plainer;
  }
  return best;
}
