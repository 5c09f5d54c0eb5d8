import type { Draw } from '../../src/base/collections.js';
import { checksummed, GNU, paxRecord, TAR_BLOCK, tarFile, tarHeader, USTAR } from './tars.js';

/** Returns a tar with one to three changes that no archiver makes. */
export function mutatedTar(tar: Buffer, draw: Draw): Buffer {
  let mutated: Buffer = Buffer.from(tar);
  for (let times = 1 + draw(3); times > 0; times--) {
    if (mutated.length < TAR_BLOCK) break;
    mutated = pick(MUTATIONS, draw)(mutated, headerIn(mutated, draw), draw);
  }
  return mutated;
}

type Mutation = (tar: Buffer, header: number, draw: Draw) => Buffer;

const FLAGS = '01234567xgLKSAVDMN \0'.split('');
const MAGICS = [USTAR, GNU, 'ustar\0\0\0', 'xxxxxxxx', 'ustar   '];
const FIELDS = [0, 100, 108, 116, 124, 136, 257, 263, 329, 337, 345, 476, 488, 508];
const FIELD_BYTES = [0x00, 0x20, 0x30, 0x37, 0x38, 0x80, 0xff];
const NAMES = ['package.yaml\0', './package.yaml\0', 'folder/\0', 'a\0b', '\0'];
const LONG_NAMES = ['package.yaml\0', 'x/\0', '', `${'a'.repeat(600)}\0`, 'package.yaml'];
const PAX_KEYS = [
  'path',
  'size',
  'uid',
  'mtime',
  'linkpath',
  'comment',
  '',
  'SCHILY.xattr.a',
  'GNU.sparse.name',
  'GNU.sparse.major',
  'GNU.sparse.realsize',
  'GNU.sparse.offset',
];
const PAX_VALUES = [
  'package.yaml',
  '10',
  '0',
  '',
  '-1',
  '1.5',
  '1',
  'folder/',
  'a\0b',
  '99999999999999999999',
  '+3',
  ' 7',
];

const MUTATIONS: readonly Mutation[] = [
  function anyByte(tar, _, draw) {
    tar[draw(tar.length)] = draw(256);
    return tar;
  },
  function flag(tar, header, draw) {
    tar.write(pick(FLAGS, draw), header + 156, 'latin1');
    return checksummed(tar, header);
  },
  function size(tar, header, draw) {
    const bytes = draw(2) === 0 ? draw(3000) : draw(4) * TAR_BLOCK;
    tar.write(`${bytes.toString(8).padStart(11, '0')}\0`, header + 124, 'latin1');
    return checksummed(tar, header);
  },
  function binarySize(tar, header, draw) {
    tar[header + 124] = 0x80 | draw(128);
    for (let i = 1; i < 12; i++) tar[header + 124 + i] = draw(5) > 0 ? 0 : draw(256);
    return checksummed(tar, header);
  },
  function field(tar, header, draw) {
    const at = header + pick(FIELDS, draw);
    for (let i = draw(12); i >= 0; i--) {
      tar[at + i] = draw(3) === 0 ? draw(256) : pick(FIELD_BYTES, draw);
    }
    return header + TAR_BLOCK <= tar.length ? checksummed(tar, header) : tar;
  },
  function name(tar, header, draw) {
    tar.write(pick(NAMES, draw), header, 'latin1');
    return checksummed(tar, header);
  },
  function magic(tar, header, draw) {
    tar.write(pick(MAGICS, draw), header + 257, 'latin1');
    if (draw(2) === 0) tar.write('tar\0', header + 508, 'latin1');
    return checksummed(tar, header);
  },
  /** Some archivers compute the checksum with signed bytes. */
  function signedChecksum(tar, header, draw) {
    tar[header + draw(100)] = 0x80 | draw(128);
    tar.fill(0x20, header + 148, header + 156);
    let sum = 0;
    for (let i = header; i < header + TAR_BLOCK; i++) sum += tar.readInt8(i);
    if (sum > 0) tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, header + 148, 'latin1');
    return tar;
  },
  function zeroBlocks(tar, _, draw) {
    return inserted(tar, blockIn(tar, draw), Buffer.alloc(TAR_BLOCK * (1 + draw(2))));
  },
  function lostBlock(tar, _, draw) {
    const at = blockIn(tar, draw);
    return Buffer.concat([tar.subarray(0, at), tar.subarray(at + TAR_BLOCK)]);
  },
  function cutOff(tar, _, draw) {
    return Buffer.from(tar.subarray(0, draw(tar.length)));
  },
  function repeatedBlocks(tar, _, draw) {
    const from = blockIn(tar, draw);
    const some = tar.subarray(from, from + TAR_BLOCK * (1 + draw(3)));
    return inserted(tar, blockIn(tar, draw), some);
  },
  function pax(tar, header, draw) {
    let records = '';
    for (let i = draw(3); i >= 0; i--) {
      const record = paxRecord(pick(PAX_KEYS, draw), pick(PAX_VALUES, draw));
      records += draw(10) === 0 ? record.replace(/^\d+/, (n) => String(Number(n) + 1)) : record;
    }
    const flag = draw(3) > 0 ? 'x' : 'g';
    return inserted(tar, header, tarFile({ name: 'PaxHeader', flag }, records));
  },
  function longName(tar, header, draw) {
    const flag = draw(3) > 0 ? 'L' : 'K';
    const announced = { name: '././@LongLink', flag, magic: GNU };
    return inserted(tar, header, tarFile(announced, pick(LONG_NAMES, draw)));
  },
  function sizedNothing(tar, header, draw) {
    const flag = pick(['1', '2', '3', '4', '5', '6'], draw);
    return inserted(tar, header, tarHeader({ name: 'nothing', flag, size: TAR_BLOCK }));
  },
];

/** Returns a compressed layer in which bytes were changed, removed, appended or prepended. */
export function mutatedLayer(layer: Buffer, draw: Draw): Buffer {
  const mutated = Buffer.from(layer);
  switch (draw(7)) {
    case 0:
      mutated[draw(mutated.length)] = draw(256);
      return mutated;
    case 1:
      return mutated.subarray(0, draw(mutated.length));
    case 2:
      return Buffer.concat([mutated, Buffer.alloc(1 + draw(20))]);
    case 3:
      return Buffer.concat([mutated, Buffer.from('garbage')]);
    case 4:
      return Buffer.concat([mutated, mutated]);
    case 5:
      mutated[draw(12)] = draw(256);
      return mutated;
    default:
      return mutated;
  }
}

/** Returns the offset of a header, if the tar has a recognizable one. */
function headerIn(tar: Buffer, draw: Draw): number {
  const headers: number[] = [];
  for (let at = 0; at + TAR_BLOCK <= tar.length; at += TAR_BLOCK) {
    if (tar.toString('latin1', at + 257, at + 262) === 'ustar') headers.push(at);
  }
  return headers.length === 0 ? 0 : pick(headers, draw);
}

function blockIn(tar: Buffer, draw: Draw): number {
  return TAR_BLOCK * draw(Math.floor(tar.length / TAR_BLOCK));
}

function inserted(tar: Buffer, at: number, more: Buffer): Buffer {
  return Buffer.concat([tar.subarray(0, at), more, tar.subarray(at)]);
}

function pick<T>(from: readonly T[], draw: Draw): T {
  return from[draw(from.length)]!;
}
