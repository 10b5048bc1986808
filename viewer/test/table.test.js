import assert from "node:assert/strict";
import { test } from "node:test";
import { over, parseTable } from "../src/table.js";

test("columns of numbers are kept with their units, words and remarks are not", () => {
  const { columns, words, rows } = parseTable('# remark\ny [mm],"slope, left [deg]",kind,c\n1,2,a,\n2,3.5,b,7\r\nbroken\n');
  assert.deepEqual(columns.map((c) => [c.name, c.unit]), [["y", "mm"], ["slope, left", "deg"], ["c", ""]]);
  assert.equal(words, 1);
  assert.equal(rows, 2);
  assert.deepEqual(columns[1].values, [2, 3.5]);
});

test("rows are drawn in the order of what they are drawn over; gaps stay gaps", () => {
  const x = { values: [3, 1, NaN, 2] }, y = { values: [30, 10, 5, NaN] };
  assert.deepEqual(over(x, [y]), { data: [[1, 2, 3], [10, null, 30]], sorted: false });
  assert.equal(over({ values: [1, 1, 2] }, []).sorted, true);
});
