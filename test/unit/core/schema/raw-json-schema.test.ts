import { describe, expect, it } from 'vitest';
import { type JsonSchema, jsonSchema } from 'weakincentives';
import { compileSchema, parseInputSync } from '../../../../src/core/schema/index.ts';
import { issuesOf } from './libraries.ts';

describe('jsonSchema', () => {
  it('yields values as they are, without filling in defaults', () => {
    const schema = jsonSchema<{ limit?: number }>({
      type: 'object',
      properties: { limit: { type: 'integer', default: 5 } },
    });
    const value = {};
    const outcome = parseInputSync(compileSchema(schema), value);
    expect(outcome.ok && outcome.value).toBe(value);
  });

  it.each<readonly [string, JsonSchema, unknown, RegExp]>([
    ['multipleOf', { type: 'number', multipleOf: 5 }, 7, /^v: .*multiple/],
    ['format', { type: 'string', format: 'date' }, 'x', /^v: .*format/],
    ['not', { not: { type: 'string' } }, 'x', /^v: .*not/],
    ['uniqueItems', { type: 'array', uniqueItems: true }, [1, 1], /^v: .*[Dd]uplicate/],
    [
      'propertyNames',
      { type: 'object', propertyNames: { pattern: '^[a-z]$' }, additionalProperties: true },
      { AB: 1 },
      /^v/,
    ],
  ])('validates keywords of its own: %s', (_keyword, keywordSchema, value, message) => {
    expect(issuesOf(jsonSchema({ type: 'object', properties: { v: keywordSchema } }), { v: value })).toMatch(
      message,
    );
  });

  it.each<readonly [string, unknown, RegExp]>([
    ['a reference to nothing', { $ref: '#/$defs/missing' }, /#\/\$defs\/missing/],
    ['a reference to another document', { $ref: 'https://example.com/schema.json' }, /leads nowhere/],
    ['a broken pattern', { type: 'string', pattern: '(' }, /pattern/],
    ['a broken patternProperties', { patternProperties: { '(': {} } }, /pattern/],
    ['a list', [], /not an object/],
    ['a value that is not JSON', { const: 1n }, /not JSON/],
  ])('refuses %s when it is made', (_name, document, message) => {
    // The point is what happens to what the types do not let through.
    const schema = document as JsonSchema;
    expect(() => jsonSchema(schema)).toThrow(message);
    expect(() => jsonSchema(schema)).toThrow(expect.objectContaining({ code: 'schema-unrepresentable' }));
  });

  it('takes $ref and pattern inside data for data', () => {
    const schema = jsonSchema({
      type: 'object',
      properties: { v: { const: { $ref: '#/nowhere', pattern: '(' } } },
    });
    expect(issuesOf(schema, { v: { $ref: '#/nowhere', pattern: '(' } })).toBe('');
  });

  it('follows pointers with escapes, anchors and references to the whole', () => {
    const schema = jsonSchema({
      type: 'object',
      properties: { a: { $ref: '#/$defs/a~1b%25' }, b: { $ref: '#named' }, self: { $ref: '#' } },
      $defs: {
        'a/b%': { type: 'object', properties: { x: { type: 'number' } } },
        other: { $anchor: 'named', type: 'object', properties: { y: { type: 'number' } } },
      },
    });
    expect(issuesOf(schema, { a: { x: 1 }, b: { y: 1 }, self: { a: { x: 2 } } })).toBe('');
    expect(issuesOf(schema, { a: { y: 1 }, b: { x: 1 }, self: { c: 1 } })).toBe(
      'a.y: unknown key; allowed: x\nb.x: unknown key; allowed: y\nself.c: unknown key; allowed: a, b, self',
    );
  });

  it('does not change when the given document is changed afterwards', () => {
    const document = { type: 'object', properties: { a: { type: 'string' } } };
    const schema = jsonSchema(document);
    document.properties.a.type = 'number';
    expect(issuesOf(schema, { a: 'x' })).toBe('');
  });

  it('reads older drafts by their $schema', () => {
    const schema = jsonSchema({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { at: { $ref: '#/definitions/point' } },
      definitions: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
    });
    expect(issuesOf(schema, { at: { x: 1 } })).toBe('');
    expect(issuesOf(schema, { at: { y: 1 } })).toBe(
      'at.x: missing; expected number\nat.y: unknown key; allowed: x',
    );
  });
});
