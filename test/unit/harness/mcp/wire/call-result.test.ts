import { expect, test } from 'vitest';
import { openToolRuntime, ToolResult, type ToolRuntimeOutput } from 'weakincentives';
import { toCallToolResult } from '../../../../../src/harness/mcp/wire/call-result.ts';
import { act } from '../../../../support/act.ts';
import { promptWith } from '../../../../support/nested-setup.ts';

/** What a runtime answers to a call of a tool that returns this. */
async function outputOf(result: ToolResult<unknown>): Promise<ToolRuntimeOutput> {
  await using runtime = await openToolRuntime(promptWith('results', [act('returns', () => result)]));
  return await runtime.call({ callId: 'c1', name: 'returns', arguments: {} });
}

test('a data URL is sent as what it holds, an address as a link', async () => {
  const output = await outputOf(
    ToolResult.ok(null, 'See.', {
      attachments: [
        { type: 'image', mediaType: 'image/png', data: 'data:image/png;base64,aWNvbg==' },
        { type: 'file', mediaType: 'audio/wav', data: 'DATA:audio/wav;base64,d2F2', name: 'a.wav' },
        { type: 'file', mediaType: 'text/plain', data: 'data:;base64,dGV4dA==' },
        { type: 'file', mediaType: 'text/html', data: 'HTTPS://example.com/a?b=c,d', name: 'page' },
      ],
    }),
  );
  expect(toCallToolResult(output, false)).toEqual({
    content: [
      { type: 'text', text: 'See.' },
      { type: 'image', data: 'aWNvbg==', mimeType: 'image/png' },
      { type: 'audio', data: 'd2F2', mimeType: 'audio/wav' },
      {
        type: 'resource',
        resource: { uri: 'attachment:///file%203', mimeType: 'text/plain', blob: 'dGV4dA==' },
      },
      { type: 'resource_link', uri: 'HTTPS://example.com/a?b=c,d', name: 'page', mimeType: 'text/html' },
    ],
  });
});

test('a name that is no text of Unicode does not fail the call', async () => {
  const output = await outputOf(
    ToolResult.ok(null, 'See.', {
      attachments: [{ type: 'file', mediaType: 'application/pdf', data: 'cGRm', name: 'a\ud800/b' }],
    }),
  );
  expect(toCallToolResult(output, false).content[1]).toMatchObject({
    resource: { uri: 'attachment:///a%EF%BF%BD%2Fb' },
  });
});

test('a failure has attachments, but no structured content', async () => {
  const output = await outputOf(
    ToolResult.error(
      'No.',
      { why: 'because' },
      {
        attachments: [{ type: 'image', mediaType: 'image/png', data: 'aWNvbg==' }],
      },
    ),
  );
  expect(toCallToolResult(output, true)).toEqual({
    isError: true,
    content: [
      { type: 'text', text: output.text },
      { type: 'image', data: 'aWNvbg==', mimeType: 'image/png' },
    ],
  });
});

test('a value that is not an object is not structured content', async () => {
  const output = await outputOf(ToolResult.ok(['a'], 'A list.'));
  expect(toCallToolResult(output, true).structuredContent).toEqual({ message: output.text });
});
