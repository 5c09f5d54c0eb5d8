import type { RenderedAgain } from '../../io/bundle/render-again.js';

/** What there is to say of a rendering, a line each. */
export function renderingNotes(
  { rendering, kept }: RenderedAgain,
  { out, write = true }: { readonly out: string; readonly write?: boolean | undefined },
): string[] {
  const warnings = [...rendering.warnings, ...(write ? rendering.leftOut : [])];
  return [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...rendering.bundle.skips.map(
      (reason) => `note: every package has \`skipDependencyResolution: true\`: ${reason}`,
    ),
    ...(kept === '' ? [] : [`note: \`${out}\` is rendered with \`${kept}\`, as it was before`]),
  ];
}
