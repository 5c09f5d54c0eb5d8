import type { PageAssets } from '../../../graph/formats/html.js';
import { ownFile } from '../../io/own-file.js';

/** The files that a page is made of, as `npm run build` leaves them. */
export function pageAssets(): PageAssets {
  return {
    script: ownFile('dist/graph/page/page.js'),
    graphStyle: ownFile('dist/graph/page/graph.css'),
    pageStyle: ownFile('dist/graph/page/page.css'),
  };
}
