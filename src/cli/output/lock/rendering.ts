import type { RenderedAgain } from '../../io/bundle/render-again.js';

/** What there is to say of a rendering, a line each; `out` is the folder it goes to. */
export function renderingNotes({ rendering, kept }: RenderedAgain, out: string): string[] {
  return [
    ...rendering.warnings.map((warning) => `warning: ${warning}`),
    ...rendering.bundle.skips.map(
      (reason) => `note: every package has \`skipDependencyResolution: true\`: ${reason}`,
    ),
    ...(kept === '' ? [] : [`note: \`${out}\` is rendered with \`${kept}\`, as it was before`]),
  ];
}
