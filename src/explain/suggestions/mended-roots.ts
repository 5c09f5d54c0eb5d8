import { formatOrigin } from '../../model/input-error.js';
import type { Repository } from '../../model/package.js';
import { closestWords } from '../../text/did-you-mean.js';
import type { Problem, RootPackage } from '../../solver/problem.js';
import { proofFacts } from '../proof-facts.js';
import type { Proposal, Stuck } from './proposal.js';

/** How many packages with a similar name are tried. */
const MAX_NAMES_TRIED = 3;
/** How many letters a name may be off. */
const MAX_LETTERS = 2;

/** A root that asks for the wrong kind, or misspells a name, asks for what it means. */
export function* mendedRoots(stuck: Stuck): Generator<Proposal> {
  yield* otherKinds(stuck);
  yield* otherNames(stuck);
}

function* otherKinds({ problem, targets, proof }: Stuck): Generator<Proposal> {
  for (const fact of proofFacts(proof)) {
    if (fact.fact !== 'kind' || 'values' in fact.by) continue;
    const { by: root, wanted, found: kind } = fact;
    const { repository, origin } = root;
    yield {
      end: `the kind of root ${problem.roots.indexOf(root)}`,
      targets,
      problem: withRoot(problem, root, { kind }),
      put: () => ({
        text: `ask for ${repository} as a ${kind}, which it is, instead of a ${wanted} (${formatOrigin(origin)})`,
        edits: [{ edit: 'kind', at: origin, kind }],
      }),
    };
  }
}

function* otherNames({ problem, targets, proof, repositories }: Stuck): Generator<Proposal> {
  const taken = new Set(
    problem.roots.flatMap((root) => (root.requires === 'package' ? [root.repository] : [])),
  );
  const free = repositories.filter((repository) => !taken.has(repository));
  for (const fact of proofFacts(proof)) {
    if (fact.fact !== 'root') continue;
    const { root } = fact;
    const subject = proof.encoder.subject(fact.on.variable);
    if (subject.about !== 'package' || subject.exists) continue;
    for (const repository of similar(root.repository, free).slice(0, MAX_NAMES_TRIED)) {
      yield {
        end: `the name of root ${problem.roots.indexOf(root)}`,
        targets,
        problem: withRoot(problem, root, { repository }),
        put: () => ({
          text: `ask for ${repository} instead of ${root.repository} (${formatOrigin(root.origin)})`,
          edits: [{ edit: 'repository', at: root.origin, from: root.repository, to: repository }],
        }),
      };
    }
  }
}

/** Misspelled names first, then packages of that name in other places. */
function similar(name: Repository, repositories: readonly Repository[]): readonly Repository[] {
  const ending = name.slice(name.lastIndexOf('/'));
  const elsewhere = repositories.filter((repository) => repository.endsWith(ending));
  const [near, far] = [
    closestWords(name, repositories, MAX_LETTERS),
    closestWords(name, elsewhere, Infinity),
  ];
  return [...new Set([...near, ...far])];
}

function withRoot(
  problem: Problem,
  root: RootPackage,
  change: Partial<RootPackage> & { readonly repository?: Repository },
): Problem {
  const roots = problem.roots.map((each) => (each === root ? { ...root, ...change } : each));
  return { ...problem, roots };
}
