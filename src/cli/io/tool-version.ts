import { ownFile } from './own-file.js';

/** The version in package.json. */
export function toolVersion(): string {
  return (JSON.parse(ownFile('package.json')) as { version: string }).version; // our own file
}
