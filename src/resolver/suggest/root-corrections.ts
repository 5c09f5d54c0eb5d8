import { joinedChange, mustKeepRoots, type Proposal, type SuggestionContext } from './proposal.js';
import { formatOrigin } from '../../base/errors.js';
import { closestWords } from '../../base/messages.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { KNOWN_REGISTRIES } from '../../crossplane/packages/reference.js';
import { registryOf } from '../../crossplane/packages/repository-names.js';
import { factsOf, packageOf, type Proof } from '../solver/search-result.js';
import { packageRoots, type RootPackage, withRoots } from '../solver/problem.js';

/** Maximum number of similar names that are tried. */
const MAX_NAMES_TRIED = 3;
/** Maximum number of wrong letters in a name or a host. */
const MAX_LETTERS = 2;

/** Returns a note for each root that no source has and whose name resembles another root. */
export function similarRootNotes({ problem, proof, repositories }: SuggestionContext): string[] {
  return missingRoots(proof).flatMap((root) => {
    const [closest] = similar(root.repository, repositories);
    const other = packageRoots(problem).find(({ repository }) => repository === closest);
    if (other === undefined) return [];
    return [`did you mean ${closest}? ${formatOrigin(other.origin)} already requires it`];
  });
}

/** Proposes the kind that a root has, if the user requires it as another kind. */
export function* otherKinds({ problem, proof }: SuggestionContext): Generator<Proposal> {
  for (const { by: root, wanted, found: kind } of factsOf(proof, 'kind')) {
    if ('values' in root) continue;
    const { repository, origin } = root;
    yield {
      goal: `the kind of root ${problem.roots.indexOf(root)}`,
      problem: withRoots(problem, (each) => (each === root ? { kind } : undefined)),
      describe: () => ({
        text: `ask for ${repository} as a ${kind}, which it is, instead of a ${wanted} (${formatOrigin(origin)})`,
        edits: [{ edit: 'kind', at: origin, kind }],
      }),
    };
  }
}

/** Proposes a known host that resembles the host of a missing root, for all roots on that host. */
export function* otherHosts(context: SuggestionContext): Generator<Proposal> {
  const { problem, proof, repositories } = context;
  const roots = packageRoots(problem);
  const named = [...repositories, ...roots.map(({ repository }) => repository)];
  const hosts = [...new Set([...KNOWN_REGISTRIES, ...named.map(registryOf)])];
  for (const missing of missingRoots(proof)) {
    const host = registryOf(missing.repository);
    const others = hosts.filter((other) => other !== host);
    const rootsOnHost = roots.filter(({ repository }) => registryOf(repository) === host);
    for (const other of closestWords(host, others, MAX_LETTERS).slice(0, MAX_NAMES_TRIED)) {
      const nameOf = ({ repository }: RootPackage) => other + repository.slice(host.length);
      yield rename(new Map(rootsOnHost.map((root) => [root, nameOf(root)])), missing, context);
    }
  }
}

/** Proposes similar names for roots that no source has. */
export function* otherNames(context: SuggestionContext): Generator<Proposal> {
  const roots = new Set(packageRoots(context.problem).map(({ repository }) => repository));
  for (const root of missingRoots(context.proof)) {
    for (const name of similar(root.repository, context.repositories).slice(0, MAX_NAMES_TRIED)) {
      // The user means the closest name. If that is a root already, no other name is meant.
      if (roots.has(name)) break;
      yield rename(new Map([[root, name]]), root, context);
    }
  }
}

/** Proposes other repositories for roots, to correct the root `missing`. */
function rename(
  names: ReadonlyMap<RootPackage, Repository>,
  missing: RootPackage,
  { problem }: SuggestionContext,
): Proposal {
  return {
    goal: `the name of root ${problem.roots.indexOf(missing)}`,
    problem: withRoots(problem, (root) => ({ repository: names.get(root) ?? root.repository })),
    describe: () =>
      joinedChange(
        Array.from(names, ([{ repository: from, origin: at }, to]) => ({
          text: `${to} instead of ${from} (${formatOrigin(at)})`,
          edit: { edit: 'repository', at, from, to },
        })),
      ),
  };
}

/** Returns the roots of a proof whose repository no source has. */
function missingRoots(proof: Proof): RootPackage[] {
  const found = factsOf(proof, 'root').filter(({ on }) => !packageOf(on, proof.subjects).exists);
  return [...new Set(found.map(({ root }) => root))];
}

/** Returns repositories with a similar path first, then packages of that name in other places. */
function similar(name: Repository, repositories: readonly Repository[]): readonly Repository[] {
  const ending = name.slice(name.lastIndexOf('/'));
  const sameNameElsewhere = repositories.filter((repository) => repository.endsWith(ending));
  const withSimilarPath = closestWords(name, repositories, MAX_LETTERS);
  const far = closestWords(name, sameNameElsewhere, Infinity);
  return [...new Set([...withSimilarPath.filter((other) => isMisspelling(name, other)), ...far])];
}

/** Returns whether the words of two names resemble each other one by one, unlike `s4` and `ce`. */
function isMisspelling(name: Repository, other: Repository): boolean {
  const others = other.split(/[-/.]/);
  const words = name.split(/[-/.]/);
  if (words.length !== others.length) return true;
  return words.every((word, i) => {
    const letters = Math.max(word.length, others[i]!.length) - 1;
    return closestWords(word, [others[i]!], letters).length > 0;
  });
}

/** Proposes to remove one root. Skips roots with a wrong name or source. */
export function* removedRoots(context: SuggestionContext): Generator<Proposal> {
  const { problem, proof } = context;
  const removable = problem.roots.filter(
    ({ requires }) => requires === 'package' || requires === 'api',
  );
  if (removable.length < 2 || mustKeepRoots(context)) return;
  const missing = new Set<unknown>(missingRoots(proof));
  for (const { root } of factsOf(proof, 'root', 'root-api')) {
    if (missing.has(root)) continue;
    const name = root.requires === 'api' ? `\`${formatCrdRef(root.crd)}\`` : root.repository;
    yield {
      goal: `without root ${problem.roots.indexOf(root)}`,
      problem: { ...problem, roots: problem.roots.filter((each) => each !== root) },
      describe: () => ({
        text: `leave out ${name} (${formatOrigin(root.origin)})`,
        edits: [{ edit: 'remove', at: root.origin }],
        removesRoot: true,
      }),
    };
  }
}
