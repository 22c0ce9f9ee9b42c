#pragma once
template <class T> struct Node {
    T key;
    int next;
    __host__ __device__ bool before(const Node &o) const { return key < o.key; }
};
template <class T> void relink(Node<T> *nodes, int n);
int check(const Node<float> *nodes, int n);
