import { ownershipKey, type OwnedObject } from '../../model/owned-object.js';
import type { Target } from '../../model/target/target.js';
import type { Cause, Clash, Position } from '../clash.js';
import type { Journey, Route, Stop } from '../journey.js';
import { onReleases } from './on-releases.js';

interface Claim extends Position {
  readonly at: Stop;
  readonly owned: OwnedObject;
}

/** Objects that two packages would own at once, or that would be deleted though one is to own them. */
export function ownershipClashes(journey: Journey): readonly Clash[] {
  const pairs = new Map<string, { from: Claim; to: Claim; objects: OwnedObject[] }>();
  for (const claims of claimsByKey(journey).values()) {
    for (const one of claims) {
      for (const other of claims) {
        if (one.route >= other.route) continue;
        const [from, to] = one.stop <= other.stop ? [one, other] : [other, one];
        const id = `${from.route}@${from.stop} ${to.route}@${to.stop}`;
        const pair = pairs.get(id) ?? { from, to, objects: [] };
        pair.objects.push(from.owned);
        pairs.set(id, pair);
      }
    }
  }
  return [...pairs.values()].flatMap(({ from, to, objects }) => {
    const cause: Cause = { rule: 'owner', from: from.at.locked, to: to.at.locked, objects };
    const both = (release: Target) => installs(from.at, release) && installs(to.at, release);
    return [
      ...onReleases(journey, [positionOf(from), positionOf(to)], (release) =>
        both(release) ? cause : undefined,
      ),
      ...keptClashes(journey, from, to, cause),
    ];
  });
}

function claimsByKey({ routes }: Journey): ReadonlyMap<string, readonly Claim[]> {
  const claims = new Map<string, Claim[]>();
  for (const [route, { stops }] of routes.entries()) {
    for (const [stop, at] of stops.entries()) {
      for (const owned of at?.locked.owns ?? []) {
        const key = ownershipKey(owned);
        const known = claims.get(key);
        const claim = { route, stop, at: at!, owned };
        if (known === undefined) claims.set(key, [claim]);
        else known.push(claim);
      }
    }
  }
  return claims;
}

function installs({ locked }: Stop, { rules }: Target): boolean {
  return locked.kind !== 'Function' || rules.functionObjectsInstalled;
}

function positionOf({ route, stop }: Claim): Position {
  return { route, stop };
}

/** With a package that is removed go the objects that no other package has taken over by then. */
function keptClashes(
  { routes }: Journey,
  from: Claim,
  to: Claim,
  cause: Extract<Cause, { rule: 'owner' | 'kept' }>,
): readonly Clash[] {
  const [giver, taker] = [routes[from.route]!, routes[to.route]!];
  if (!isRemoved(giver) || to.stop !== taker.stops.length - 1) return [];
  if (!cause.objects.some((object) => canChangeHands(object, to.at))) return [];
  const removed = { route: from.route, stop: giver.stops.length - 1 };
  const keys = cause.objects.map(ownershipKey);
  return taker.stops.flatMap((at, stop): Clash[] => {
    const owned = new Set(at?.locked.owns.map(ownershipKey));
    if (keys.every((key) => owned.has(key))) return [];
    return [{ positions: [removed, { route: to.route, stop }], cause: { ...cause, rule: 'kept' } }];
  });
}

function isRemoved({ stops }: Route): boolean {
  return stops.at(-1) === undefined;
}

/** A CRD that an XRD made stays the XRD's, and goes with it: no provider can take it over. */
function canChangeHands({ kind, name }: OwnedObject, to: Stop): boolean {
  if (kind !== 'XRD' && kind !== 'claim') return true;
  return to.locked.owns.some((owned) => owned.kind === kind && owned.name === name);
}
