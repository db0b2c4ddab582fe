import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { jsonSchema } from 'weakincentives';

/** Strings that match the format, and strings that do not. An independent validator agrees on each. */
const samples: Readonly<
  Record<string, { readonly fit: readonly string[]; readonly unfit: readonly string[] }>
> = {
  date: {
    fit: ['2024-02-29', '2000-02-29', '1999-12-31', '0000-01-01'],
    unfit: [
      '2023-02-29',
      '1900-02-29',
      '2024-13-01',
      '2024-00-01',
      '2024-04-31',
      '2024-1-1',
      '',
      '2024-01-00',
    ],
  },
  time: {
    fit: [
      '12:34:56Z',
      '12:34:56.789+01:00',
      '23:59:60Z',
      '01:29:60+01:30',
      '00:29:60+00:30',
      '15:59:60-08:00',
    ],
    unfit: [
      '12:34:56',
      '24:00:00Z',
      '12:60:00Z',
      '22:59:60Z',
      '12:00:00+24:00',
      '12:00:00+01:60',
      '12:00Z',
      '',
    ],
  },
  'date-time': {
    fit: ['2024-02-29T12:34:56Z', '2024-02-29t12:34:56z', '2024-02-29 12:34:56+02:00'],
    unfit: ['2024-02-30T12:34:56Z', '2024-02-29', '2024-02-29T12:34:56', '2024-02-29T12:34:56Z x', ''],
  },
  duration: {
    fit: ['P1Y2M3DT4H5M6S', 'P4W', 'PT0S', 'P1D', 'PT1H', 'P1M'],
    unfit: ['P', 'PT', 'P1W2D', '1D', 'P1Y3D', 'PT1H3S', ''],
  },
  uri: {
    fit: ['https://a.b/c?d=e#f', 'urn:a:b', 'mailto:a@b.c', 'http://[::1]:80/', 'http://u:p@h:1/%20', 'a://'],
    unfit: ['/a', 'a', '//a/b', 'http://a b', 'http://a/%zz', 'http://[::1', '1:a', '', 'a://[x]'],
  },
  'uri-reference': {
    fit: ['', '/a', 'a/b', '//h/p', '?q', '#f', 'a#f', './a:b', 'a?b:c', 'http://a.b'],
    unfit: ['a b', '\\a', '#a#b', '/%4', '^'],
  },
  'uri-template': {
    fit: ['', '/a/{b}', '{+a,b*}', '{?a:3}', '{a.b}', '%20', 'a://{b}/c'],
    unfit: ['{', '{a', 'a}', '{}', '{a:0}', '{a b}', '{.}', '{a..b}', 'a b', '{a,}', '{a:12345}'],
  },
  url: {
    fit: ['https://example.com', 'http://a.bc/d?e', 'ftp://x.yz:21/a'],
    unfit: ['a', 'urn:a', 'https://a', ''],
  },
  email: {
    fit: ['a@b.c', 'a.b+c@d-e.f', '"a b"@c.d', 'a@[127.0.0.1]', 'a@[IPv6:::1]', 'a@b', '"@"@c'],
    unfit: ['a', '@b', 'a@', '.a@b.c', 'a.@b.c', 'a..b@c', 'a@b_c', 'a@[x]', 'a b@c', 'a@-b', '', '"a@b'],
  },
  hostname: {
    fit: ['a', 'a.b', 'a-b.c', `${'a'.repeat(63)}.b`],
    unfit: ['', '.', 'a.b.', '-a', 'a-', 'a..b', 'a_b', 'a'.repeat(64), 'a.'.repeat(127)],
  },
  ipv4: {
    fit: ['0.0.0.0', '255.255.255.255'],
    unfit: ['256.0.0.0', '1.1.1', '1.1.1.1.1', '1.1.1.a', '', '1.1.1.'],
  },
  ipv6: {
    fit: [
      '::',
      '::1',
      '1::',
      '1:2:3:4:5:6:7:8',
      '1::8',
      '::1.2.3.4',
      '1:2:3:4:5:6:1.2.3.4',
      '1:2:3:4:5:6:7::',
    ],
    unfit: [
      '',
      ':',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '12345::',
      '1.2.3.4::',
      '::g',
      ':1',
      '1:',
    ],
  },
  regex: { fit: ['', '^a$', '(?=a)'], unfit: ['(', '[', '\\a', 'a\\Z', '*'] },
  uuid: {
    fit: ['2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2EB8AA08-AA98-11EA-B4AA-73B441D16380'],
    unfit: ['2eb8aa08aa9811eab4aa73b441d16380', '2eb8aa08-aa98-11ea-b4aa-73b441d1638', ''],
  },
  'json-pointer': { fit: ['', '/a', '/~0~1', '/'], unfit: ['a', '/~', '/~2', '#/a'] },
  'json-pointer-uri-fragment': { fit: ['#', '#/a', '#/%20'], unfit: ['', '/a', '#a', '#/%2'] },
  'relative-json-pointer': { fit: ['0', '1/a', '10#', '0/'], unfit: ['', '/a', '01', '-1', '1a'] },
  'something-else': { fit: ['', 'anything'], unfit: [] },
};

function fits(format: string, text: string): boolean {
  const result = jsonSchema({ type: 'string', format })['~standard'].validate(text);
  return !(result instanceof Promise) && result.issues === undefined;
}

describe.each(Object.entries(samples))('the format %s', (format, { fit, unfit }) => {
  const cases = [...fit.map((text) => [text, true] as const), ...unfit.map((text) => [text, false] as const)];

  it.each(cases)('of %j is checked: %s', (text, expected) => {
    expect(new Validator({ format }, '2020-12').validate(text).valid).toBe(expected);
    expect(fits(format, text)).toBe(expected);
  });

  it('is checked in linear time', () => {
    const answers = ['a', '1:', '%20', '{a', 'a.', '"', '\\"', '::', '/~'].map((repeated) =>
      fits(format, `${repeated.repeat(20_000)}\n`),
    );
    // Some of these texts are regular expressions.
    const expected = format === 'regex' ? [true, false] : [format === 'something-else'];
    expect(new Set(answers)).toEqual(new Set(expected));
  });
});
