import { getAsset } from 'node:sea';
import type { ownFile as replacedFunction } from '../../../src/cli/terminal/own-file.js';

/** Returns the text of a file of this package by its path relative to the root. */
export const ownFile: typeof replacedFunction = (path) => getAsset(path, 'utf8');
