// Package language finds private jargon in names, documents and messages. Start at Check: it
// returns every place of a tree that has a word of dictionary.txt, with the standard term.
//
// A word that only this project uses has to be learnt before code can be read. The
// dictionary is data, so that a better term is one line.
package language
