import { friendlyId, revisionName } from '../../model/name.js';
import type { Candidate } from '../../model/package.js';
import { splitPackageReference, splitTag } from '../../model/reference.js';
import { packageManagerOf } from '../../model/target/package-manager.js';
import type { Target } from '../../model/target/target.js';
import { isDigest } from '../../text/digest.js';
import { pulledReference } from '../image-pin.js';
import type { ClusterImage } from '../cluster-image.js';
import { askImage, type ClusterWork } from '../cluster-question.js';
import {
  NOT_KNOWN,
  withObject,
  withRevision,
  type ClusterObject,
  type ClusterRevision,
  type ClusterState,
} from '../cluster-state.js';

/** A package object gets the revision that its image calls for; all others of it are deactivated. */
export function* reconcilePackage(
  state: ClusterState,
  object: ClusterObject,
  target: Target,
): ClusterWork<ClusterState> {
  const pulled = pulledReference(object.reference, state.pins);
  const candidate = imageNamed(pulled, target);
  const image = candidate && (yield* askImage(candidate));
  const problem = unpackProblem(pulled, candidate, image, target);
  if (problem !== undefined) {
    return withObject(state, { ...object, problem: `cannot unpack package: ${problem}` });
  }
  const name = nameOfRevision(object, candidate!, image!);
  let next = withObject(state, { ...object, revision: name, problem: undefined });
  for (const revision of revisionsOf(state, object)) {
    if (revision.name !== name && revision.active) {
      next = withRevision(next, { ...revision, active: false });
    }
  }
  const known = revisionsOf(state, object).find((revision) => revision.name === name);
  return withRevision(next, {
    kind: object.kind,
    name,
    of: object.name,
    reference: object.reference,
    active: known?.active === true || !object.manual,
    health: known?.health ?? NOT_KNOWN,
  });
}

/** What is pulled for a reference: of a tag and a digest, the digest; undefined: it is none. */
export function imageNamed(reference: string, target: Target): Candidate | undefined {
  const split = splitPackageReference(reference, target);
  if (split === undefined) return undefined;
  const { source, version } = split;
  return { repository: isDigest(version) ? splitTag(source).name : source, version };
}

export function revisionsOf(state: ClusterState, object: ClusterObject): ClusterRevision[] {
  return state.revisions.filter(({ kind, of }) => kind === object.kind && of === object.name);
}

function unpackProblem(
  reference: string,
  candidate: Candidate | undefined,
  image: ClusterImage | undefined,
  target: Target,
): string | undefined {
  if (candidate === undefined) return `could not parse reference: ${reference}`;
  if (image === undefined) return `failed to fetch package from remote: no image ${reference}`;
  const readsFirst = packageManagerOf(target).readsBeforeRevision;
  return readsFirst && image.problem?.at === 'read' ? image.problem.message : undefined;
}

/** A source that knows no digests gives none to name a revision by; its version stands in. */
function nameOfRevision({ name }: ClusterObject, { version }: Candidate, image: ClusterImage) {
  const { digest } = image;
  return digest !== undefined && isDigest(digest)
    ? revisionName(name, digest)
    : friendlyId(name, version);
}
