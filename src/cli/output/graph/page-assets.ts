import { readFile } from 'node:fs/promises';
import type { PageAssets } from '../../../graph/formats/html.js';
import { ownFolder } from '../../io/tool-version.js';

/** The files that a page is made of. */
export async function pageAssets(): Promise<PageAssets> {
  const [script, graphStyle, pageStyle] = await Promise.all([
    read('page.js'),
    read('graph.css'),
    read('page.css'),
  ]);
  return { script, graphStyle, pageStyle };
}

function read(name: string): Promise<string> {
  // As `npm run build` leaves them.
  return readFile(new URL(`dist/graph/page/${name}`, ownFolder()), 'utf8');
}
