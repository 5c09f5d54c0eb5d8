import type { Target } from '../../model/target/target.js';
import { seeded, type Draw } from './seeded.js';
import { choiceName, type RootChoice, type Variation } from './variation.js';
import type { VariedRoot } from './varied-root.js';

/** What variations are drawn from. */
interface Space {
  readonly targets: readonly Target[];
  readonly varied: readonly VariedRoot[];
  readonly options: { readonly seed: number; readonly runs: number };
  /** Whether it was known before the first is drawn that a variation breaks. */
  readonly isKnown: (variation: Variation) => boolean;
}

/** A variation that is known to break is drawn again, this often. */
const MAX_REDRAWS = 10;

/** Variations of a request, drawn at random from a seed. */
export function* drawVariations(
  choices: readonly RootChoice[],
  { targets, varied, options, isKnown }: Space,
): Generator<Variation> {
  const draw = seeded(options.seed);
  if (varied.every(({ tagsFor }) => targets.every((target) => tagsFor(target).length === 0)))
    return;
  for (let run = 0; run < options.runs; run++) {
    let variation: Variation;
    let redraws = 0;
    do {
      const release = targets[draw(targets.length)]!;
      variation = { release, choices: vary(choices, varied, { release, draw }) };
    } while (isKnown(variation) && redraws++ < MAX_REDRAWS);
    yield variation;
  }
}

function vary(
  asAsked: readonly RootChoice[],
  varied: readonly VariedRoot[],
  { release, draw }: { readonly release: Target; readonly draw: Draw },
): RootChoice[] {
  const pinned = new Map<string, RootChoice>();
  const chosen = choose(varied, draw);
  for (const { root, isAsked, tagsFor } of chosen.roots) {
    const tags = tagsFor(release);
    if (tags.length === 0) continue;
    const tag = tags[place(tags.length, draw)]!;
    pinned.set(root.repository, { root, tag, asked: isAsked ? root : undefined });
  }
  const kept = asAsked.flatMap((choice): RootChoice[] => {
    const at = pinned.get(choiceName(choice));
    pinned.delete(choiceName(choice));
    if (at !== undefined) return [at];
    return chosen.alone && choice.root.root === 'package' ? [] : [choice];
  });
  return [...kept, ...pinned.values()];
}

/** Mostly two roots without the others; else one among the others, or all. */
function choose(
  varied: readonly VariedRoot[],
  draw: Draw,
): { readonly roots: readonly VariedRoot[]; readonly alone: boolean } {
  const [first, second, way] = [draw(varied.length), draw(varied.length), draw(4)];
  if (first === second || way === 0) return { roots: [varied[first]!], alone: false };
  if (way === 1) return { roots: varied, alone: false };
  return { roots: [varied[first]!, varied[second]!], alone: true };
}

/** The newest and the oldest version more often than those between. */
function place(count: number, draw: Draw): number {
  const way = draw(6);
  if (way === 0) return 0;
  return way === 1 ? count - 1 : draw(count);
}
