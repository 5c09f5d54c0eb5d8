const MIB = 1024 * 1024;

/** What exceeds one of these is refused, never cut short. */
export interface Limits {
  readonly manifestBytes: number;
  readonly configBytes: number;
  readonly tagPageBytes: number;
  readonly tagPages: number;
  /** All pages of one list together. */
  readonly tagListBytes: number;
  readonly tags: number;
  readonly tokenBytes: number;
  readonly indexChildren: number;
  readonly indexDepth: number;
  readonly layers: number;
  /** A layer that is read into memory. */
  readonly layerBytes: number;
  /** A layer that is copied in chunks. */
  readonly copiedLayerBytes: number;
  readonly unpackedBytes: number;
  /** Unpacked bytes for each packed one, checked from `unpackRatioFromBytes` on. */
  readonly unpackRatio: number;
  readonly unpackRatioFromBytes: number;
  readonly zstdFrames: number;
  readonly zstdWindowBytes: number;
  /** What damaged frames of a run unpacked to: the decoder does not free it. */
  readonly zstdLostBytes: number;
  readonly tarEntries: number;
  readonly tarNameChars: number;
  /** Folders in a name. */
  readonly tarNameDepth: number;
  /** All names of one tar together; of an image without a base layer, those of all its layers. */
  readonly tarNamesChars: number;
  readonly packageYamlBytes: number;
}

export const LIMITS: Limits = {
  manifestBytes: 4 * MIB,
  configBytes: 4 * MIB,
  tagPageBytes: 16 * MIB,
  tagPages: 1_000,
  tagListBytes: 64 * MIB,
  tags: 200_000,
  tokenBytes: MIB,
  indexChildren: 1_000,
  indexDepth: 4,
  layers: 1_024,
  layerBytes: 512 * MIB,
  copiedLayerBytes: 16 * 1024 * MIB,
  unpackedBytes: 2_048 * MIB,
  unpackRatio: 400,
  unpackRatioFromBytes: 16 * MIB,
  zstdFrames: 10_000,
  // More than `zstd -19` makes use of.
  zstdWindowBytes: 32 * MIB,
  zstdLostBytes: 64 * MIB,
  tarEntries: 250_000,
  tarNameChars: 4_096,
  tarNameDepth: 256,
  tarNamesChars: 16 * MIB,
  packageYamlBytes: 200 * MIB,
};
