import type { JsonSchema } from 'weakincentives';
import { advice, closed, described, inEach, type Shape, shape, strict, text } from './shape.ts';

const notGiven = 'null: not given.';
const kind = (name: string, more: JsonSchema = {}): JsonSchema =>
  closed({ kind: { type: 'string', const: name }, ...more });
const withoutType = (name: string, more: JsonSchema = {}): JsonSchema =>
  closed({ kind: { const: name }, ...more });
const nullable: JsonSchema = { type: ['string', 'null'] };
const alternatives: JsonSchema = { anyOf: [text, { type: 'null' }] };

const optionalShapes: readonly Shape[] = [
  shape(
    'an optional property',
    closed({ a: text }, []),
    [],
    {
      openai: strict(closed({ a: { ...nullable, description: notGiven } })),
      anthropic: strict(),
      'ai-sdk': advice('/properties/a required'),
    },
    { samples: [{ value: {}, written: { a: null } }, { value: { a: 'x' } }], broken: { a: 1 } },
  ),
  shape(
    'an optional property with a default',
    closed({ a: { type: 'integer', default: 5 } }, []),
    [],
    {
      openai: strict(closed({ a: { type: ['integer', 'null'], description: `Default: 5. ${notGiven}` } })),
      anthropic: strict(closed({ a: { type: 'integer', description: 'Default: 5.' } }, [])),
      'ai-sdk': advice('/properties/a required'),
    },
    { samples: [{ value: {}, written: { a: null } }, { value: { a: 1 } }] },
  ),
  shape('an optional property that may be null', closed({ a: nullable }, []), [{ a: null }, { a: 'x' }], {
    openai: strict(closed({ a: nullable })),
    anthropic: strict(closed({ a: alternatives }, [])),
    'ai-sdk': strict(closed({ a: alternatives })),
  }),
  shape(
    'an optional property that may be null, with a default',
    closed({ a: { ...nullable, default: 'd' } }, []),
    [{ a: null }],
    {
      openai: strict(closed({ a: { ...nullable, description: 'Default: "d".' } })),
      anthropic: strict(closed({ a: { ...alternatives, description: 'Default: "d".' } }, [])),
      'ai-sdk': strict(closed({ a: { ...alternatives, description: 'Default: "d".' } })),
    },
  ),
  shape('a type list with null', nullable, ['x', null], {
    openai: strict(),
    anthropic: strict(alternatives),
    'ai-sdk': strict(alternatives),
  }),
  shape('anyOf with null', alternatives, ['x', null], inEach(strict())),
  shape('an enum with null', { enum: ['a', null] }, ['a', null], {
    openai: strict({ type: ['string', 'null'], enum: ['a', null] }),
    anthropic: strict(),
    'ai-sdk': strict({ anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }),
  }),
  shape('null alone', { type: 'null' }, [null], inEach(strict())),
  shape(
    'an object or null, by a type list',
    { ...closed({ a: text }), type: ['object', 'null'], description: 'D.' },
    [{ a: 'x' }, null],
    {
      openai: strict(),
      anthropic: strict({ anyOf: [closed({ a: text }), { type: 'null' }], description: 'D.' }),
      'ai-sdk': strict({ anyOf: [closed({ a: text }), { type: 'null' }], description: 'D.' }),
    },
  ),
  shape(
    'several types, each with what is said of it',
    { type: ['string', 'array'], format: 'date', items: text, minItems: 1, title: 'T' },
    ['2026-11-22', ['a']],
    {
      openai: strict(),
      anthropic: strict({
        title: 'T',
        anyOf: [
          { type: 'string', format: 'date' },
          { type: 'array', items: text, minItems: 1 },
        ],
      }),
      'ai-sdk': strict({
        title: 'T',
        anyOf: [
          { type: 'string', format: 'date' },
          { type: 'array', items: text, minItems: 1 },
        ],
      }),
    },
  ),
];

const unionShapes: readonly Shape[] = [
  shape('anyOf of scalars', { anyOf: [text, { type: 'integer' }] }, ['x', 1], inEach(strict())),
  shape(
    'anyOf of objects',
    { anyOf: [closed({ a: text }), closed({ b: text })] },
    [{ a: 'x' }, { b: 'y' }],
    inEach(strict()),
    { broken: { a: 'x', b: 'y' } },
  ),
  shape(
    'anyOf in anyOf',
    { anyOf: [{ anyOf: [text, { type: 'integer' }] }, { type: 'array', items: text }] },
    ['x', 1, ['y']],
    inEach(strict()),
  ),
  shape(
    'objects distinguished by a fixed value',
    { oneOf: [kind('a', { x: text }), kind('b')] },
    [{ kind: 'a', x: 'x' }, { kind: 'b' }],
    {
      openai: strict({ anyOf: [kind('a', { x: text }), kind('b')] }),
      anthropic: strict({ anyOf: [withoutType('a', { x: text }), withoutType('b')] }),
      'ai-sdk': strict({ anyOf: [kind('a', { x: text }), kind('b')] }),
    },
    { broken: { kind: 'b', x: 'x' } },
  ),
  shape(
    'distinguished objects that contain others',
    { oneOf: [kind('a', { inner: { oneOf: [kind('c'), kind('d')] } }), kind('b')] },
    [{ kind: 'a', inner: { kind: 'd' } }, { kind: 'b' }],
    {
      openai: strict({ anyOf: [kind('a', { inner: { anyOf: [kind('c'), kind('d')] } }), kind('b')] }),
      anthropic: strict({
        anyOf: [
          withoutType('a', { inner: { anyOf: [withoutType('c'), withoutType('d')] } }),
          withoutType('b'),
        ],
      }),
      'ai-sdk': strict({ anyOf: [kind('a', { inner: { anyOf: [kind('c'), kind('d')] } }), kind('b')] }),
    },
  ),
  shape(
    'oneOf of scalars that overlap',
    { oneOf: [{ type: 'number' }, { type: 'integer' }] },
    [1.5],
    {
      openai: strict({ anyOf: [{ type: 'number' }, { type: 'integer' }] }, 'oneOf'),
      anthropic: strict({ anyOf: [{ type: 'number' }, { type: 'integer' }] }, 'oneOf'),
      'ai-sdk': advice('oneOf'),
    },
    { broken: 1 },
  ),
  shape(
    'alternatives with optional properties',
    { anyOf: [closed({ a: text, x: text }, ['a']), closed({ b: text })] },
    [],
    {
      openai: strict({
        anyOf: [closed({ a: text, x: { ...nullable, description: notGiven } }), closed({ b: text })],
      }),
      anthropic: strict(),
      'ai-sdk': advice('/anyOf/0/properties/x required'),
    },
    { samples: [{ value: { a: 'v' }, written: { a: 'v', x: null } }, { value: { b: 'y' } }] },
  ),
  shape(
    'a union as the whole',
    { anyOf: [closed({ a: text }), closed({ b: text })] },
    [],
    inEach(strict(closed({ value: { anyOf: [closed({ a: text }), closed({ b: text })] } }))),
    {
      isWhole: true,
      samples: [{ value: { b: 'x' }, written: { value: { b: 'x' } } }],
      broken: { value: { a: 'x', b: 'y' } },
    },
  ),
  shape(
    'a list as the whole',
    { type: 'array', items: text },
    [],
    inEach(strict(closed({ value: { type: 'array', items: text } }))),
    { isWhole: true, samples: [{ value: ['x'], written: { value: ['x'] } }] },
  ),
  shape(
    'allOf of plain objects, which we make one',
    {
      allOf: [
        { type: 'object', properties: { a: text }, required: ['a'] },
        { type: 'object', properties: { b: text }, required: ['b'] },
      ],
    },
    [{ a: 'x', b: 'y' }],
    inEach(strict(closed({ a: text, b: text }))),
  ),
  shape(
    'allOf of two closed objects',
    { allOf: [closed({ a: text }, []), closed({ a: text, b: text }, [])] },
    [{ a: 'x' }, {}],
    inEach(advice('allOf')),
    { broken: { b: 'y' } },
  ),
  shape(
    'allOf of one',
    { allOf: [text], description: 'D.' },
    ['x'],
    inEach(strict({ type: 'string', description: 'D.' })),
  ),
];

const tree = closed({ name: text, children: { type: 'array', items: { $ref: '#/$defs/tree' } } });
const leafTree = { name: 'x', children: [{ name: 'y', children: [] }] };
const containsItself = strict();

const referenceShapes: readonly Shape[] = [
  shape('a definition', { $ref: '#/$defs/name' }, ['x'], inEach(strict()), { $defs: { name: text } }),
  shape(
    'a described definition',
    { $ref: '#/$defs/name', description: 'D.' },
    ['x'],
    {
      openai: strict({ description: 'D.', anyOf: [{ $ref: '#/$defs/name' }] }),
      anthropic: strict({ type: 'string', description: 'D.' }),
      'ai-sdk': strict({ type: 'string', description: 'D.' }),
    },
    { $defs: { name: text } },
  ),
  shape(
    'a definition with a constraint beside it',
    { $ref: '#/$defs/name', maxLength: 3 },
    ['abc'],
    {
      openai: strict({ type: 'string', maxLength: 3 }),
      anthropic: strict({ type: 'string', description: described(['maxLength', 3]) }, 'maxLength'),
      'ai-sdk': advice('maxLength'),
    },
    { $defs: { name: text }, broken: 'abcd' },
  ),
  shape(
    'a definition that contains itself',
    { $ref: '#/$defs/tree' },
    [leafTree],
    {
      openai: containsItself,
      anthropic: advice('/properties/children/items $ref'),
      'ai-sdk': advice('/properties/children/items $ref'),
    },
    { $defs: { tree } },
  ),
  shape(
    'definitions that contain each other',
    { $ref: '#/$defs/a' },
    [{ b: { a: null } }],
    {
      openai: containsItself,
      anthropic: advice('/properties/b/properties/a/anyOf/0 $ref'),
      'ai-sdk': advice('/properties/b/properties/a/anyOf/0 $ref'),
    },
    {
      $defs: {
        a: closed({ b: { $ref: '#/$defs/b' } }),
        b: closed({ a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] } }),
      },
    },
  ),
  shape(
    'the whole within itself',
    closed({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
    [{ next: { next: null } }],
    {
      openai: containsItself,
      anthropic: advice('/properties/next/anyOf/0 $ref'),
      'ai-sdk': advice('/properties/next/anyOf/0 $ref'),
    },
    { isWhole: true },
  ),
  shape(
    'the whole within itself, left out at the end',
    closed({ name: text, next: { $ref: '#' } }, ['name']),
    [],
    {
      openai: strict(
        closed({
          name: text,
          next: { anyOf: [{ $ref: '#' }, { type: 'null' }], description: notGiven },
        }),
      ),
      anthropic: advice('/properties/next $ref'),
      'ai-sdk': advice('/properties/next $ref', '/properties/next required'),
    },
    {
      isWhole: true,
      samples: [
        {
          value: { name: 'a', next: { name: 'b' } },
          written: { name: 'a', next: { name: 'b', next: null } },
        },
      ],
    },
  ),
  shape(
    'a list that contains itself with a constraint, which has no end when written out',
    { $ref: '#/$defs/list' },
    [[[], [[]]]],
    inEach(advice('/items/items $ref')),
    { $defs: { list: { type: 'array', items: { $ref: '#/$defs/list', minItems: 0 } } } },
  ),
  shape('a reference to anything', { $ref: '#/$defs/any' }, [1], inEach(advice('type')), {
    $defs: { any: {} },
  }),
];

/** Shapes made of parts: what may be left out, alternatives, references. */
export const partShapes: readonly Shape[] = [...optionalShapes, ...unionShapes, ...referenceShapes];
