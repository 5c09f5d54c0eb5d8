import type { PackageRoot, Request, Root } from '../../model/request.js';
import type { Target } from '../../model/target.js';

/** A variation of a request: some of its roots, some of them at one published version. */
export interface Trial {
  readonly release: Target;
  readonly wishes: readonly Wish[];
}

/** A root as it is asked for; with `tag`, at that version instead. */
export type Wish =
  | { readonly root: Root; readonly tag?: undefined }
  | {
      readonly root: PackageRoot;
      readonly tag: string;
      /** The root as the user has it; undefined: the user has none, a local package requires it. */
      readonly asked: PackageRoot | undefined;
    };

/** What a trial asks for; everything but the roots is as the user has it. */
export function requestOf(request: Request, { wishes }: Pick<Trial, 'wishes'>): Request {
  return { ...request, roots: wishes.map(rootOf) };
}

function rootOf(wish: Wish): Root {
  if (wish.tag === undefined) return wish.root;
  const version = { form: 'tag', tag: wish.tag } as const;
  return { ...wish.root, version, origin: { file: 'this variation' } };
}

/** What a wish is called: the same in every trial. */
export function wishName({ root }: Wish): string {
  switch (root.root) {
    case 'package':
      return root.repository;
    case 'local':
      return root.name;
    case 'crd':
      return 'crd' in root.demand ? root.demand.crd : `${root.demand.kind}.${root.demand.group}`;
  }
}

/** Equal for trials that ask for the same, whatever the release. */
export function trialKey({ wishes }: Pick<Trial, 'wishes'>): string {
  return wishes.map((wish) => `${wishName(wish)} ${wish.tag ?? ''}`).join('\n');
}

/**
 * The smallest trial that breaks as this one does: no root can go, and none that is at a version
 * can be as the user has it.
 */
export async function smallest(
  trial: Trial,
  breaks: (smaller: Trial) => Promise<boolean>,
): Promise<Trial> {
  let best = trial;
  for (const wish of trial.wishes) {
    const less = { ...best, wishes: best.wishes.filter((other) => other !== wish) };
    if (less.wishes.length > 0 && (await breaks(less))) best = less;
  }
  for (const wish of best.wishes) {
    if (wish.tag === undefined || wish.asked === undefined) continue;
    const asAsked: Wish = { root: wish.asked };
    const plainer = {
      ...best,
      wishes: best.wishes.map((other) => (other === wish ? asAsked : other)),
    };
    if (await breaks(plainer)) best = plainer;
  }
  return best;
}
