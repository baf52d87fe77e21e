// The few things the tests use of node, so that no package of types is needed.
declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  interface Assert {
    equal(got: unknown, want: unknown, message?: string): void;
    notEqual(got: unknown, other: unknown, message?: string): void;
    deepEqual(got: unknown, want: unknown, message?: string): void;
    match(got: string, pattern: RegExp): void;
    ok(value: unknown, message?: string): void;
  }
  const assert: Assert;
  export default assert;
}
