import { describe, expect, it } from 'vitest';
import { readReply } from '../../../../../src/host/sandbox/evaluate/protocol.ts';

describe('readReply', () => {
  const reply = { failed: false, kind: 'json', value: '1', stdout: '', stderr: '', writes: [['a', 'b']] };

  it('takes a reply, and nothing else', () => {
    expect(readReply({ ...reply, more: 1 })).toStrictEqual(reply);
    const wrong: readonly unknown[] = [
      undefined,
      'text',
      [reply],
      ...Object.keys(reply).map((key) => ({ ...reply, [key]: undefined })),
      ...Object.keys(reply).map((key) => ({ ...reply, [key]: 7 })),
      { ...reply, kind: 'other' },
      { ...reply, writes: [['a']] },
      { ...reply, writes: ['a'] },
    ];
    for (const message of wrong) expect(readReply(message)).toBeUndefined();
  });
});
