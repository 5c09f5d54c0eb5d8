import { readFile } from 'node:fs/promises';
import type { PageAssets } from '../../../graph/formats/html.js';

/** As `npm run build` leaves them; the way there is the same from `src`, where tests run. */
const FOLDER = new URL('../../../../dist/graph/page/', import.meta.url);

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
  return readFile(new URL(name, FOLDER), 'utf8');
}
