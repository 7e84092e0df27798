export { type Cell, cellLetters, type CellName, CELLS, lateMs } from './cells.ts';
