/** The format of an image or a document, as its first bytes show it. */
export interface MediaFormat {
  readonly kind: 'image' | 'pdf';
  readonly mediaType: string;
}

interface KnownFormat extends MediaFormat {
  /** Bytes at fixed positions: each text is compared from its position on, one character per byte. */
  readonly magic: readonly (readonly [position: number, bytes: string])[];
}

const formats: readonly KnownFormat[] = [
  { kind: 'image', mediaType: 'image/png', magic: [[0, '\u0089PNG\r\n\u001a\n']] },
  { kind: 'image', mediaType: 'image/jpeg', magic: [[0, '\u00ff\u00d8\u00ff']] },
  { kind: 'image', mediaType: 'image/gif', magic: [[0, 'GIF87a']] },
  { kind: 'image', mediaType: 'image/gif', magic: [[0, 'GIF89a']] },
  {
    kind: 'image',
    mediaType: 'image/webp',
    magic: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  { kind: 'pdf', mediaType: 'application/pdf', magic: [[0, '%PDF-']] },
];

/**
 * The format of some content that providers take as an attachment: PNG, JPEG, GIF, WebP or PDF; undefined for any other. Names and declared types say
 * nothing: they may come from anywhere, and a provider refuses a request whose media are not what they are declared to be.
 */
export function mediaFormatOf(data: Uint8Array): MediaFormat | undefined {
  return formats.find(({ magic }) =>
    magic.every(([position, bytes]) =>
      Array.from(bytes).every((byte, index) => data[position + index] === byte.charCodeAt(0)),
    ),
  );
}
