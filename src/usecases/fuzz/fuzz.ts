import { InputError } from '../../model/input-error.js';
import type { Request } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import { solve } from '../../solver/solve.js';
import { Driver } from '../../driver/driver.js';
import { SourceMemory } from '../../driver/source-memory.js';
import type { Refusal } from '../../explain/refusal.js';
import { resolve, type ResolveOptions } from '../resolve/resolve.js';
import { seeded, type Draw } from './seeded.js';
import { releaseSelector, chooseTargets } from '../../model/target/target-choice.js';
import { toProblem } from '../resolve/to-problem.js';
import {
  variedRequest,
  smallest,
  variationKey,
  choiceName,
  type Variation,
  type RootChoice,
} from './variation.js';
import { variedRoots, type VariedRoot } from './varied-root.js';

export interface FuzzOptions extends ResolveOptions {
  /** The same seed tries the same variations in the same order. */
  readonly seed: number;
  /** Variations to try, beside the request as it is on every release. */
  readonly runs: number;
  /** Told after every run. */
  readonly onRun?: ((runs: number, breakages: number) => void) | undefined;
}

/** Roots that do not go together, or one that does not go at all. */
export interface Breakage {
  /** No root of it can go, and none can be as the user has it instead. */
  readonly example: Variation;
  /** Every release of the range on which the example breaks, newest first. */
  readonly brokenOn: readonly string[];
  readonly refusal: Refusal;
  /** The same roots at other versions; where they were found to break. */
  readonly others: readonly { readonly choices: readonly RootChoice[]; readonly release: string }[];
}

export interface FuzzReport {
  readonly seed: number;
  /** Variations tried; the request as it is was tried on every release before them. */
  readonly runs: number;
  /** Trials that were given up, so that nothing is known of them. */
  readonly gaveUp: number;
  /** The releases of the range, newest first. */
  readonly releases: readonly string[];
  readonly varied: readonly { readonly repository: string; readonly versions: number }[];
  readonly breakages: readonly Breakage[];
  readonly notes: readonly string[];
}

/**
 * Looks for variations of a request that cannot be satisfied: each root at other published
 * versions, alone, in pairs and all together, on the releases of Crossplane in the range.
 */
export async function fuzz(request: Request, given: FuzzOptions): Promise<FuzzReport> {
  const options = { ...given, source: SourceMemory.of(given.source) };
  const asked = releaseSelector(request, options.crossplane);
  const { groups, notes, warnings } = chooseTargets(asked, options.crossplaneVersions);
  const targets = groups.flat();
  const varied = await variedRoots(request, {
    source: options.source,
    targets,
    prereleases: new Set([...(request.prereleases ?? []), ...(options.prereleases ?? [])]),
    compat: options.compat ?? false,
  });
  const fuzzing = new Fuzzing(request, options, staying(varied));
  fuzzing.refuseNonsense(targets);
  await fuzzing.run(targets.map((release) => ({ release, choices: asAsked(request) })));
  const isKnown = (variation: Variation) => fuzzing.isKnown(variation);
  await fuzzing.vary(variations(asAsked(request), { targets, varied, options, isKnown }));
  return {
    seed: options.seed,
    runs: fuzzing.runs,
    gaveUp: fuzzing.gaveUp,
    releases: targets.map(({ version }) => version),
    varied: varied.map(({ root, tagsFor }) => ({
      repository: root.repository,
      versions: tagsFor(targets[0]!).length,
    })),
    breakages: await fuzzing.breakages(targets),
    notes: [...warnings, ...notes],
  };
}

interface Space {
  readonly targets: readonly Target[];
  readonly varied: readonly VariedRoot[];
  readonly options: Pick<FuzzOptions, 'seed' | 'runs'>;
  /** It breaks, and why is known. */
  readonly isKnown: (variation: Variation) => boolean;
}

function asAsked({ roots }: Request): RootChoice[] {
  return roots.map((root): RootChoice => ({ root }));
}

/** How often a variation known to break is drawn again. */
const REDRAWS = 10;

function* variations(
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
    } while (isKnown(variation) && redraws++ < REDRAWS);
    yield variation;
  }
}

/** Packages of which a version that is tried is one of those asked for. */
function staying(varied: readonly VariedRoot[]): ReadonlySet<string> {
  const within = varied.filter((one) => one.staysWithin && one.isAsked);
  return new Set(within.map(({ root }) => root.repository));
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

/** Tries variations and collects what breaks. */
class Fuzzing {
  runs = 0;
  gaveUp = 0;
  private readonly request: Request;
  private readonly options: FuzzOptions;
  private readonly staying: ReadonlySet<string>;
  /** Smallest examples by what they ask for, with the releases they were found on. */
  private readonly examples = new Map<string, { variation: Variation; releases: Set<string> }>();

  constructor(request: Request, options: FuzzOptions, staying: ReadonlySet<string>) {
    this.request = request;
    this.options = options;
    this.staying = staying;
  }

  async run(variations: Iterable<Variation>, done: () => void = () => {}): Promise<void> {
    const { goOn = () => true, onRun = () => {} } = this.options;
    for (const variation of variations) {
      if (!goOn()) return;
      await this.attempt(variation);
      done();
      onRun(this.runs, this.examples.size);
    }
  }

  /** The same for what counts as a run. */
  async vary(variations: Iterable<Variation>): Promise<void> {
    await this.run(variations, () => this.runs++);
  }

  /** What makes sense to no release is a mistake in the request, and not what is looked for. */
  refuseNonsense(targets: readonly Target[]): void {
    for (const [place, target] of targets.entries()) {
      try {
        toProblem(this.request, [target], this.options);
        return;
      } catch (error) {
        if (!(error instanceof InputError) || place === targets.length - 1) throw error;
      }
    }
  }

  private async attempt(variation: Variation): Promise<void> {
    // One driver for each run: what was read is kept by the memory, what was judged of it can go.
    const driver = this.driver();
    const verdict = await this.verdict(variation, driver);
    if (verdict === 'gave-up') this.gaveUp++;
    if (verdict !== 'breaks') return;
    const found = await smallest(
      variation,
      async (smaller) => (await this.verdict(smaller, driver)) === 'breaks',
    );
    const key = variationKey(found);
    const known = this.examples.get(key) ?? { variation: found, releases: new Set() };
    known.releases.add(found.release.version);
    this.examples.set(key, known);
  }

  private async verdict(
    variation: Variation,
    driver: Driver,
  ): Promise<'holds' | 'breaks' | 'gave-up'> {
    const { release } = variation;
    try {
      const problem = toProblem(variedRequest(this.request, variation), [release], this.options);
      const { status } = await driver.drive(solve(problem), release);
      return status === 'solved' ? 'holds' : status === 'unsolvable' ? 'breaks' : 'gave-up';
    } catch (error) {
      // Asked for in a way that makes no sense to this release.
      if (error instanceof InputError) return 'breaks';
      throw error;
    }
  }

  /** Whether a variation breaks because of what was found already. */
  isKnown(variation: Variation): boolean {
    const at = new Map(
      variation.choices.map((choice) => [choiceName(choice), choice.tag ?? 'as asked']),
    );
    return [...this.examples.values()].some(
      (example) =>
        example.releases.has(variation.release.version) &&
        example.variation.choices.every((choice) => {
          const name = choiceName(choice);
          const here = at.get(name);
          if (here === undefined) return false;
          return (
            here === (choice.tag ?? 'as asked') ||
            (choice.tag === undefined && this.staying.has(name))
          );
        }),
    );
  }

  /** One for each set of roots, in the order found; the plainest example stands for the rest. */
  async breakages(targets: readonly Target[]): Promise<Breakage[]> {
    const alike = new Map<string, Variation[]>();
    for (const { variation } of this.examples.values()) {
      const roots = variation.choices.map(choiceName).sort().join('\n');
      alike.set(roots, [...(alike.get(roots) ?? []), variation]);
    }
    const found: Breakage[] = [];
    for (const variations of alike.values()) {
      const [example, ...others] = variations.sort((a, b) => versionsNamed(a) - versionsNamed(b));
      found.push({
        example: example!,
        brokenOn: await this.brokenOn(example!, targets),
        refusal: await this.refusal(example!),
        others: others.map(({ choices, release }) => ({ choices, release: release.version })),
      });
    }
    return found;
  }

  private async brokenOn(example: Variation, targets: readonly Target[]): Promise<string[]> {
    const broken: string[] = [];
    const driver = this.driver();
    for (const release of targets) {
      const breaks =
        release.version === example.release.version ||
        (await this.verdict({ ...example, release }, driver)) === 'breaks';
      if (breaks) broken.push(release.version);
    }
    return broken;
  }

  private async refusal(example: Variation): Promise<Refusal> {
    const { goOn: _, ...options } = this.options;
    const request = variedRequest(this.request, example);
    try {
      const answer = await resolve(request, { ...options, crossplane: example.release.version });
      if (answer.status === 'unsolvable') return answer;
      throw new Error(`${answer.status} what was found to break: ${variationKey(example)}`);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const { message, hint } = error;
      const suggestions = hint === undefined ? [] : [{ text: hint }];
      return {
        explanation: message,
        core: [{ kind: 'source', text: message, path: [] }],
        facts: [],
        suggestions,
      };
    }
  }

  private driver(): Driver {
    return new Driver(this.options.source, this.options);
  }
}

function versionsNamed({ choices }: Variation): number {
  return choices.filter(({ tag }) => tag !== undefined).length;
}
