import type { OwnedKind, OwnedObject } from '../../model/owned-object.js';
import type { PackageKind } from '../../model/package.js';
import { packageManagerOf } from '../../model/target/package-manager.js';
import type { Target } from '../../model/target/target.js';
import type { ClusterRevision, ClusterState, HiddenClash } from '../cluster-state.js';

/** What a revision installs, and what of it is another's. */
interface Established {
  readonly state: ClusterState;
  /** undefined: it controls all that it installs. */
  readonly problem: string | undefined;
}

/**
 * An active revision takes control of its objects: of all, or, where one is another's, of none.
 *
 * An XRD or MRD then makes its CRDs: those of an XRD are the XRD's, those of an MRD are the revision's. Where one of them is
 * another's, the package does not hear of it.
 */
export function establish(
  state: ClusterState,
  revision: ClusterRevision,
  owns: readonly OwnedObject[],
  target: Target,
): Established {
  const self = controllerName(revision);
  const installed = owns.filter(({ kind }) => kind !== 'claim').map(installedAs(revision, target));
  const foreign = installed.find((object) => {
    return ![undefined, self].includes(state.controllers.get(controlKey(object)));
  });
  if (foreign !== undefined) {
    const other = state.controllers.get(controlKey(foreign))!;
    const what = `${foreign.name} is already controlled by ${other} (UID …)`;
    return { state, problem: `cannot establish control of object: ${what}` };
  }
  const controllers = new Map(state.controllers);
  for (const object of installed) controllers.set(controlKey(object), self);
  const hidden: HiddenClash[] = [];
  for (const { crd, by } of madeCrds(owns, installed, self)) {
    const controller = controllers.get(controlKey({ kind: 'CRD', name: crd })) ?? by;
    controllers.set(controlKey({ kind: 'CRD', name: crd }), controller);
    if (controller !== by) hidden.push({ revision: revision.name, crd, controller });
  }
  const others = state.hidden.filter((clash) => clash.revision !== revision.name);
  const isSame =
    controllers.size === state.controllers.size &&
    installed.every((object) => state.controllers.get(controlKey(object)) === self) &&
    others.length + hidden.length === state.hidden.length;
  return {
    state: isSame ? state : { ...state, controllers, hidden: [...others, ...hidden] },
    problem: undefined,
  };
}

/** A revision that is no longer active controls nothing; its objects stay, free to be taken over. */
export function released(state: ClusterState, revision: ClusterRevision): ClusterState {
  return withoutControllers(state, new Set([controllerName(revision)]));
}

/** The objects of a package go with its last owner, and with an XRD or MRD go its CRDs. */
export function deleted(state: ClusterState, revisions: readonly ClusterRevision[]): ClusterState {
  const gone = new Set(revisions.map(controllerName));
  for (const [key, controller] of state.controllers) if (gone.has(controller)) gone.add(key);
  const names = new Set(revisions.map(({ name }) => name));
  const hidden = state.hidden.filter(({ revision }) => !names.has(revision));
  return withoutControllers({ ...state, hidden }, gone);
}

function withoutControllers(state: ClusterState, gone: ReadonlySet<string>): ClusterState {
  const kept = [...state.controllers].filter(([, controller]) => !gone.has(controller));
  if (kept.length === state.controllers.size) return state;
  return { ...state, controllers: new Map(kept) };
}

/** As an owner reference names it: an object by its kind and name, a revision likewise. */
export function controlKey({ kind, name }: OwnedObject): string {
  return `${MADE_OF[kind] ?? kind} ${name}`;
}

const MADE_OF: Partial<Record<OwnedKind, string>> = {
  XRD: 'CompositeResourceDefinition',
  MRD: 'ManagedResourceDefinition',
};

export function controllerName({ kind, name }: { kind: PackageKind; name: string }): string {
  return `${kind}Revision ${name}`;
}

/** What an object is installed as. */
function installedAs(revision: ClusterRevision, target: Target) {
  const { convertsCrds, keptCrds } = packageManagerOf(target);
  const converts = (name: string) =>
    convertsCrds && revision.kind === 'Provider' && !keptCrds.includes(pluralPart(name));
  return ({ kind, name }: OwnedObject): OwnedObject => ({
    kind: kind === 'CRD' && converts(name) ? 'MRD' : kind,
    name,
  });
}

/** CRDs that come of what a revision installed, and who controls them. */
function madeCrds(
  owns: readonly OwnedObject[],
  installed: readonly OwnedObject[],
  revision: string,
): readonly { readonly crd: string; readonly by: string }[] {
  const makers = installed.filter(({ kind }) => kind === 'XRD' || kind === 'MRD');
  const own = makers.map((maker) => ({
    crd: maker.name,
    by: maker.kind === 'MRD' ? revision : controlKey(maker),
  }));
  const xrds = installed.filter(({ kind }) => kind === 'XRD');
  const claims = owns
    .filter(({ kind }) => kind === 'claim')
    .flatMap((claim) => {
      const xrd = xrds.find(({ name }) => groupPart(name) === groupPart(claim.name));
      return xrd === undefined ? [] : [{ crd: claim.name, by: controlKey(xrd) }];
    });
  return [...own, ...claims];
}

/** Of `<plural>.<group>`. */
function pluralPart(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** Likewise. */
function groupPart(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
