import { CROSSPLANE, type Clash, type Position } from '../clash.js';
import type { Journey, Stop } from '../journey.js';
import type { Layer } from '../layers.js';
import type { Leg } from '../leg.js';

interface Node extends Position {
  readonly at: Stop;
}

/**
 * Packages that would depend on each other in a circle while a layer is under way; the cluster's
 * resolver then stops for every package. undefined: at no time.
 *
 * A circle passes a package once, at one of the stops that it has in the layer: any combination of
 * these may come about, but that legs which are made as one all are, or none.
 */
export function cycleClash(journey: Journey, layers: readonly Layer[]): Clash | undefined {
  const now = journey.routes.map(() => 0);
  for (const layer of layers) {
    const alone = layer.filter((legs) => legs.length === 1).flat();
    const joint = layer.filter((legs) => legs.length > 1);
    for (const made of [[], ...joint, joint.flat()]) {
      for (const { route, to } of made) now[route] = to;
      const circle = circleIn(possibleNodes(journey, now, alone), journey);
      if (circle !== undefined) return clashOf(circle);
      for (const { route, to } of made) now[route] = to - 1;
    }
    for (const { route, to } of layer.flat()) if (route !== CROSSPLANE) now[route] = to;
  }
  return undefined;
}

function possibleNodes(
  { routes }: Journey,
  now: readonly number[],
  moving: readonly Leg[],
): readonly Node[] {
  const next = new Map(moving.map(({ route, to }) => [route, to]));
  return routes.flatMap(({ stops }, route) =>
    [...new Set([now[route]!, next.get(route) ?? now[route]!])].flatMap((stop): Node[] => {
      const at = stops[stop];
      return at === undefined || at.skips ? [] : [{ route, stop, at }];
    }),
  );
}

function clashOf(circle: readonly Node[]): Clash {
  return {
    positions: circle.map(({ route, stop }) => ({ route, stop })),
    cause: { rule: 'cycle', members: circle.map(({ at }) => at.locked) },
  };
}

function circleIn(nodes: readonly Node[], { routes }: Journey): readonly Node[] | undefined {
  const byRepository = new Map<string, Node[]>();
  for (const node of nodes) {
    const { repository } = routes[node.route]!;
    byRepository.set(repository, [...(byRepository.get(repository) ?? []), node]);
  }
  const next = ({ at }: Node) =>
    at.locked.requirements.flatMap((requirement) =>
      requirement.requires === 'package' && requirement.repository !== at.locked.repository
        ? (byRepository.get(requirement.repository) ?? [])
        : [],
    );
  const done = new Set<Node>();
  for (const start of nodes) {
    const path: { readonly node: Node; readonly ahead: Node[] }[] = [];
    const enter = (node: Node) => path.push({ node, ahead: next(node) });
    if (!done.has(start)) enter(start);
    while (path.length > 0) {
      const { node, ahead } = path.at(-1)!;
      const to = ahead.pop();
      if (to === undefined) {
        done.add(node);
        path.pop();
      } else {
        const at = path.findIndex((each) => each.node.route === to.route);
        if (at >= 0) return path.slice(at).map((each) => each.node);
        if (!done.has(to)) enter(to);
      }
    }
  }
  return undefined;
}
