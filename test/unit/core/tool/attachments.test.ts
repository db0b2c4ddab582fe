import { describe, expect, it } from 'vitest';
import { readAttachments } from '../../../../src/core/tool/attachments.ts';

const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' };
const file = { type: 'file', mediaType: 'text/csv', data: 'AAAA', name: 'rows.csv' };
const mostCharacters = 20 * 1024 * 1024;
const problemOf = (value: unknown): string => {
  const reading = readAttachments(value);
  return reading.ok ? '' : reading.problem;
};

describe('readAttachments', () => {
  it('takes images and files, and keeps the members it knows', () => {
    const reading = readAttachments([{ ...image, name: 'x', detail: 'high' }, file]);
    expect(reading).toStrictEqual({ ok: true, attachments: [image, file] });
    for (const part of reading.ok ? [reading.attachments, ...reading.attachments] : []) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(readAttachments([])).toStrictEqual({ ok: true, attachments: [] });
  });

  it.each([
    'AAAA',
    'AAA=',
    'AA==',
    '+/09azAZ',
    'data:image/png;base64,AAA=',
    'DATA:;BASE64,AAAA',
    'https://example.com/a.png?size=1',
    'HTTP://example.com',
  ])('takes the data %s', (data) => {
    expect(readAttachments([{ ...image, data }])).toEqual({ ok: true, attachments: [{ ...image, data }] });
  });

  it.each([
    '',
    '=',
    'AAA',
    'A===',
    '====',
    'AAAA\n',
    'AA=A',
    'AA-_',
    'not base64!!',
    'data:image/png;base64,',
    'data:image/png;base64',
    'data:image/png,AAAA',
    'data:;base64,A,AA',
    'https://',
    'https:///x',
    'https://example.com/a b',
    'file:///etc/passwd',
    'ftp://example.com/a.png',
  ])('refuses the data %j', (data) => {
    expect(problemOf([image, { ...image, data }])).toMatch(/^attachments\[1\]\.data is neither base64 text/);
  });

  it.each<readonly [unknown, string]>([
    ['AAAA', 'attachments must be a list, but is "AAAA"'],
    [null, 'attachments must be a list, but is null'],
    [image, 'attachments must be a list, but is an object with type, mediaType, data'],
    [['AAAA'], 'attachments[0] must be an object, but is "AAAA"'],
    [[image, null], 'attachments[1] must be an object, but is null'],
    [[[]], 'attachments[0].type must be "image" or "file", but is nothing'],
    [[{ ...image, type: 'video' }], 'attachments[0].type must be "image" or "file", but is "video"'],
    [
      [{ ...image, mediaType: 'png' }],
      'attachments[0].mediaType must be a media type such as "image/png", but is "png"',
    ],
    [
      [{ ...image, mediaType: undefined }],
      'attachments[0].mediaType must be a media type such as "image/png", but is nothing',
    ],
    [
      [{ ...image, mediaType: 'application/pdf' }],
      'attachments[0].mediaType of an image must begin with "image/", but is "application/pdf"; use the type "file" for other media',
    ],
    [[{ ...image, data: undefined }], 'attachments[0].data must be text, but is nothing'],
    [
      [{ ...image, data: new Uint8Array(1_000) }],
      'attachments[0].data must be text, but is bytes (write them as base64 text)',
    ],
    [[{ ...file, name: 7 }], 'attachments[0].name must be text, but is 7'],
  ])('says what is wrong with %j', (value, problem) => {
    expect(problemOf(value)).toBe(problem);
  });

  it('takes 20 MiB of data in all, and no character more', () => {
    const half = 'A'.repeat(mostCharacters / 2);
    expect(
      readAttachments([
        { ...image, data: half },
        { ...file, data: half },
      ]),
    ).toMatchObject({ ok: true });
    expect(problemOf([{ ...image, data: half }, { ...file, data: half }, image])).toBe(
      `with attachments[2] the data of all attachments has ${mostCharacters + 4} characters, but at most ${mostCharacters} are allowed; make it smaller, or give an http(s) address`,
    );
  });

  it('takes a hundred items', () => {
    expect(readAttachments(Array.from({ length: 100 }, () => image))).toMatchObject({ ok: true });
    expect(problemOf(Array.from({ length: 101 }, () => image))).toBe(
      'attachments has 101 items; a result takes at most 100',
    );
  });
});
