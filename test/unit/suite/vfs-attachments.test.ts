import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryFilesystem, promptTemplate } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { createVfsTools } from '../../../src/suite/vfs/vfs-tools.ts';
import { draws } from '../../support/draws.ts';
import { runTool } from './run-tool.ts';

const vfsTools = createVfsTools();

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

const png = bytesOf('\u0089PNG\r\n\u001a\n\0\0\u00ff');
const files = new MemoryFilesystem({
  files: {
    'pictures/a.png': png,
    'named.txt': bytesOf('\u00ff\u00d8\u00ff\u00e0\0'),
    'b.gif': bytesOf('GIF89a\0\u00ff'),
    'c.webp': bytesOf('RIFF\u0000\u0001\u00ff\u0000WEBPVP8 '),
    'sound.wav': bytesOf('RIFF\u0000\u0001\u00ff\u0000WAVEfmt '),
    'd.pdf': bytesOf('%PDF-1.7\n\u00e2\u00e3\n'),
    'plain.pdf': '%PDF-1.4\n% text only\n',
    'short.bin': bytesOf('\u0089PN'),
    'notes.txt': 'words\n',
  },
});
const both = createVfsTools({ attachments: ['image', 'pdf'] }).read_file;

describe('read_file with attachments', () => {
  it.each([
    ['pictures/a.png', 'image/png', 11],
    ['named.txt', 'image/jpeg', 5],
    ['b.gif', 'image/gif', 8],
    ['c.webp', 'image/webp', 16],
  ])('attaches the image %s, whatever its name', async (file_path, mediaType, bytes) => {
    const answer = await runTool(both, files, { file_path: `./${file_path}` });
    expect(answer.message).toBe(`${file_path} - ${mediaType}, ${bytes} bytes, attached.`);
    expect(answer.text).toBe('');
    const data = Buffer.from(await files.readBytes(file_path)).toString('base64');
    expect(answer.attachments).toEqual([{ type: 'image', mediaType, data }]);
    expect(JSON.stringify(answer.value)).not.toContain(data);
  });

  it('attaches a PDF with its name, also one that is plain text', async () => {
    for (const file_path of ['d.pdf', 'plain.pdf']) {
      const answer = await runTool(both, files, { file_path });
      expect(answer.attachments).toMatchObject([
        { type: 'file', mediaType: 'application/pdf', name: file_path },
      ]);
    }
    const window = await runTool(both, files, { file_path: 'plain.pdf', offset: 1 });
    expect(window).toMatchObject({ text: '2 | % text only', attachments: [] });
  });

  it.each(['sound.wav', 'short.bin'])('refuses %s as before', async (file_path) => {
    const answer = await runTool(both, files, { file_path });
    expect(answer).toEqual(await runTool(vfsTools.read_file, files, { file_path }));
    expect(answer.message).toContain('is a binary file of');
  });

  it('attaches only the kinds that were named, none by default', async () => {
    const { read_file: images } = createVfsTools({ attachments: ['image'] });
    const { read_file: documents } = createVfsTools({ attachments: ['pdf'] });
    expect((await runTool(images, files, { file_path: 'd.pdf' })).message).toContain('is a binary file');
    expect((await runTool(images, files, { file_path: 'plain.pdf' })).text).toContain('1 | %PDF');
    expect((await runTool(documents, files, { file_path: 'b.gif' })).message).toContain('is a binary file');
    for (const file_path of ['pictures/a.png', 'd.pdf']) {
      expect((await runTool(vfsTools.read_file, files, { file_path })).success).toBe(false);
    }
    expect((await runTool(both, files, { file_path: 'notes.txt' })).text).toBe('1 | words');
    expect((await runTool(both, files, { file_path: 'absent' })).message).toContain('There is no "absent"');
  });

  it('refuses a file over the limit and says the limit', async () => {
    const { read_file: small } = createVfsTools({
      attachments: ['image', 'pdf'],
      limits: { maxAttachmentBytes: 10 },
    });
    expect(await runTool(small, files, { file_path: 'b.gif' })).toMatchObject({ success: true });
    const large = await runTool(small, files, { file_path: 'pictures/a.png' });
    expect(large).toMatchObject({ success: false, attachments: [] });
    expect(large.message).toBe(
      '"pictures/a.png" (image/png) has 11 bytes; files of more than 10 bytes are not attached. Continue without its content.',
    );
  });

  it('encodes any bytes, also in several pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.nat(60_000), async (tail, filler) => {
        const data = Uint8Array.from([...png, ...new Uint8Array(filler).fill(0xa5), ...tail]);
        const filesystem = new MemoryFilesystem({ files: { x: data } });
        const { attachments } = await runTool(both, filesystem, { file_path: 'x' });
        const [part] = attachments;
        expect(Buffer.from(part?.data ?? '', 'base64').equals(Buffer.from(data))).toBe(true);
      }),
      { numRuns: draws(30) },
    );
  });
});

describe('vfsToolsSection with attachments', () => {
  it('says so in its instructions, and sends the file with the result', async () => {
    const section = vfsToolsSection({ filesystem: files, attachments: ['image'] });
    const template = promptTemplate({ ns: 'tests', key: 'media', sections: [section] });
    expect((await template.bind().render()).text).toContain('An image is attached to the result.');
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'read_file', arguments: { file_path: 'pictures/a.png' } }] },
      { text: 'Seen.' },
    ]);
    const { conversation } = await adapter.evaluate(template.bind());
    const result = conversation.find((item) => item.type === 'tool-result');
    expect(result?.attachments).toMatchObject([{ type: 'image', mediaType: 'image/png' }]);
  });

  it('refuses unknown kinds and a limit that no result can hold', () => {
    expect(() => vfsToolsSection(JSON.parse('{"attachments":["audio"]}'))).toThrow(
      "attachments must be a list of 'image' and 'pdf'",
    );
    expect(() => vfsToolsSection({ limits: { maxAttachmentBytes: 15_728_641 } })).toThrow(
      'from 1 to 15728640',
    );
    expect(vfsToolsSection({ limits: { maxAttachmentBytes: 15_728_640 } }).key).toBe('vfs');
  });
});
